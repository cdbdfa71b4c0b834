"""Engines that train, translate and score, each behind one contract, and the folders of their runs."""
