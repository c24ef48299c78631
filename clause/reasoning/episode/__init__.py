"""One episode: its state machine, actions and budgets, and the driver that serving and training share."""
