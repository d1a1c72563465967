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

copied_tables = ("sessions", "models", "checkpoints")


def copy_tables(database: str, shared: str, before: list) -> list:
    """Replaces the shared copy if the checkpoints differ from `before`. Returns the checkpoints."""
    source = sqlite3.connect(database, timeout=30, isolation_level=None)
    try:
        names = dict(source.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
        if not set(copied_tables) <= names.keys():
            return before
        source.execute("BEGIN")
        checkpoints = source.execute("SELECT model_id, checkpoint_id, checkpoint_type, status FROM checkpoints").fetchall()
        if checkpoints == before:
            return before
        with tempfile.TemporaryDirectory(dir=os.path.dirname(database)) as folder:
            part = os.path.join(folder, "copy.db")
            target = sqlite3.connect(part)
            for table in copied_tables:
                rows = source.execute(f"SELECT * FROM {table}")
                target.execute(names[table])
                target.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' for _ in rows.description)})", rows)
            target.commit()
            target.close()
            shutil.copyfile(part, f"{shared}.part")
        with open(f"{shared}.part", "rb") as file:
            os.fsync(file.fileno())
        os.replace(f"{shared}.part", shared)
        return checkpoints
    finally:
        source.close()


def main() -> int:
    shared, *command = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="skyrl-") as folder:
        database = os.path.join(folder, "tinker.db")
        if os.path.exists(shared):
            shutil.copyfile(shared, database)
        server = subprocess.Popen(command, env={**os.environ, "SKYRL_DATABASE_URL": f"sqlite:///{database}"})
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: server.send_signal(number))
        checkpoints: list = []
        while True:
            try:
                code = server.wait(0.5)
            except subprocess.TimeoutExpired:
                code = None
            try:
                if os.path.exists(database):
                    checkpoints = copy_tables(database, shared, checkpoints)
            except (OSError, sqlite3.Error) as error:
                print(f"{shared}: cannot be updated: {error}", file=sys.stderr)
            if code is not None:
                return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
