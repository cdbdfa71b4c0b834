"""Forms of the machine-translation wing: corpora, and what is launched."""
