"""Storage: disks and file systems."""
