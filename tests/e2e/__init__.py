"""Halfhour as a whole, seen from outside: what people see, and what happens when parts die."""
