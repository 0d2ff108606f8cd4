"""`make show-N`: each promise of an issue, proved by a run and printed with its figure."""
