"""Long work that survives its worker: leases, progress, resuming."""
