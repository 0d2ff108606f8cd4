"""Starts the private Valkey the tests talk to, before Django reads its settings."""
