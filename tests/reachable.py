"""Say where a service answers, or nothing: `python -m tests.reachable postgres|redis`."""

import socket
import sys

import psycopg

POSTGRES = "postgres://postgres@127.0.0.1:5432/postgres"
REDIS = "redis://127.0.0.1:6379/9"


def postgres() -> str | None:
    """Return the address of a PostgreSQL server that lets us in, or None."""
    try:
        psycopg.connect(POSTGRES.replace("postgres://", "postgresql://"), connect_timeout=2).close()
    except psycopg.Error:
        return None
    return POSTGRES


def redis() -> str | None:
    """Return the address of a Redis server that answers, or None."""
    try:
        with socket.create_connection(("127.0.0.1", 6379), timeout=2) as talk:
            talk.sendall(b"PING\r\n")
            return REDIS if talk.recv(16).startswith(b"+PONG") else None
    except OSError:
        return None


if __name__ == "__main__":
    print({"postgres": postgres, "redis": redis}[sys.argv[1]]() or "")
