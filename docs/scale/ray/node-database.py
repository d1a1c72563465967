"""Runs SkyRL's server with its SQLite database on the node's own disk: SQLite's locks fail on shared file systems.

    python3 node-database.py SHARED_COPY COMMAND...

The server finds its checkpoints in the database. So each new checkpoint updates the shared copy, which starts the next
server. Requests are not copied: they are large, and a new server does not answer them.
"""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing

tables = ("sessions", "models", "checkpoints")


def copy_tables(database: str, shared: str, before: list) -> list:
    """Replaces the shared copy if the checkpoints differ from `before`. Returns the checkpoints."""
    with closing(sqlite3.connect(database, timeout=30, isolation_level=None)) as source:
        schema = dict(source.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
        if not set(tables) <= schema.keys():
            return before
        source.execute("BEGIN")
        checkpoints = source.execute("SELECT model_id, checkpoint_id, checkpoint_type, status FROM checkpoints").fetchall()
        if checkpoints == before:
            return before
        with tempfile.TemporaryDirectory() as folder:
            part = os.path.join(folder, "copy.db")
            with closing(sqlite3.connect(part)) as target:
                for table in tables:
                    rows = source.execute(f"SELECT * FROM {table}")
                    target.execute(schema[table])
                    target.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' for _ in rows.description)})", rows)
                target.commit()
            with open(part, "rb") as file, open(f"{shared}.part", "wb") as copy:
                shutil.copyfileobj(file, copy)
                copy.flush()
                os.fsync(copy.fileno())
        os.replace(f"{shared}.part", shared)
        return checkpoints


shared, *command = sys.argv[1:]
with tempfile.TemporaryDirectory(prefix="skyrl-") as folder:
    database = os.path.join(folder, "tinker.db")
    if os.path.exists(shared):
        shutil.copyfile(shared, database)
    server = subprocess.Popen(command, env={**os.environ, "SKYRL_DATABASE_URL": f"sqlite:///{database}"})
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: server.send_signal(number))
    checkpoints: list = []
    code = None
    while code is None:
        try:
            code = server.wait(0.5)
        except subprocess.TimeoutExpired:
            pass
        try:
            if os.path.exists(database):
                checkpoints = copy_tables(database, shared, checkpoints)
        except (OSError, sqlite3.Error) as error:
            print(f"{shared}: cannot be updated: {error}", file=sys.stderr)
sys.exit(code if code >= 0 else 128 - code)
