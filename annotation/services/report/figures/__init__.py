"""Figures of a report, drawn on the server as SVG."""
