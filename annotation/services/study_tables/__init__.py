"""The tables of the two studies, filled with a study's own results."""
