"""Driver: NVIDIA's kernel module and its libraries."""
