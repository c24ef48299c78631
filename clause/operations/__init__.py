"""The operator's room: doctor, detached processes, archives, keys."""
