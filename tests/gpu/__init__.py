"""Training and decoding on an accelerator; see run.sh."""
