"""Runtime: the host's system and its containers."""
