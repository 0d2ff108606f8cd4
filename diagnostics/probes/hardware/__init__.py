"""Hardware: the card, its slot, power and cooling."""
