"""What reaching a fleet costs this process, beside OpenSSH. `python -m tests.bench.ssh`."""
