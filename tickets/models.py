"""Every model of `tickets`. None yet: the desk, the portal and the drill read what lies below."""
