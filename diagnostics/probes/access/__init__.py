"""Access: how people and programs get in."""
