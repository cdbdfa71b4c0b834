"""The text of the demo study, written for it: two documents sets, English and Russian, two systems."""
