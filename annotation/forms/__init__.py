"""Forms of the human-evaluation wing."""
