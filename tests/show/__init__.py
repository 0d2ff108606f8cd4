"""`make show-N`: each line of an issue's "Must show", proved by a run and printed with its figure."""
