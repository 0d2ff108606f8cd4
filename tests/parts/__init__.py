"""Real parts the tests run against: Valkey, sshd, PostgreSQL, dockerd, Chromium, a whole stack."""
