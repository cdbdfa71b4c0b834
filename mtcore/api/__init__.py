"""The API of the machine-translation wing."""
