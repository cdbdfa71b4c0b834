"""Pages of the machine-translation wing, for administrators."""
