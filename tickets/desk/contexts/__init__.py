"""Plain objects for the desk's templates: every decision is made here, none in a template."""
