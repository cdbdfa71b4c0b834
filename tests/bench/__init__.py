"""Measure ratios side by side; `python -m tests.bench` writes them to docs/benchmarks.md."""
