"""Systems under test, run from outside: metrics, question sets, baselines, the harness and its report."""
