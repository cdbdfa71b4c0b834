"""A Django app that makes the tests' kind of run known to a worker in a process of its own."""
