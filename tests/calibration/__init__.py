"""Calibration: how often tests reject a true null, and how often intervals hold the truth, by simulation."""
