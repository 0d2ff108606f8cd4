"""The tools of a simulated host, one small file each, all answering from the one host state."""
