"""Stand-in for SkyRL's Tinker server: a checkpoint is a file, and a row of the database."""

import argparse
import http.server
import json
import os
import signal
import sqlite3
import sys
import threading
import time

world, host = os.environ["WORLD"], os.environ["STUB_HOST"]
parser = argparse.ArgumentParser()
for name in ("host", "port", "base-model", "backend", "checkpoints-base"):
    parser.add_argument(f"--{name}", required=True)
parser.add_argument("--backend-config", type=json.loads, required=True)
parser.add_argument("--database-url", default=os.environ.get("SKYRL_DATABASE_URL"))
options = parser.parse_args()
database = options.database_url.removeprefix("sqlite:///")
if os.path.realpath(database).startswith(os.path.realpath(os.path.join(world, "shared"))):
    sys.exit("database is locked: a shared file system")
if int(os.environ.get("STUB_CORES", "64")) < 8:
    sys.exit("a step with too few cores")


def join_ray() -> None:
    config = options.backend_config
    needed = config.get("trainer.placement.policy_num_nodes", 1) * config["trainer.placement.policy_num_gpus_per_node"]
    if options.backend != "megatron":
        return
    sockets = os.environ.get("STUB_SOCKETS") or os.path.join(os.environ["TMPDIR"], "ray")
    if not os.path.exists(os.path.join(sockets, "session")):
        sys.exit("no Ray node is reachable from here")
    with open(os.path.join(sockets, "session"), encoding="utf8") as file:
        if file.read() != os.environ.get("RAY_AUTH_TOKEN"):
            sys.exit("Ray refuses the token")
    engines = config["generator.inference_engine.num_engines"]
    while True:
        with open(os.path.join(world, "ray-nodes"), encoding="utf8") as file:
            nodes = len(file.readlines())
        heads = 0 if "STUB_SOCKETS" in os.environ else 1
        if 8 * (nodes - 1 + heads) >= needed + engines:
            return
        time.sleep(0.02)


join_ray()
os.makedirs(options.checkpoints_base, exist_ok=True)
rows = sqlite3.connect(database, check_same_thread=False)
rows.execute("PRAGMA journal_mode=WAL")
rows.execute("CREATE TABLE IF NOT EXISTS sessions (session_id TEXT)")
rows.execute("CREATE TABLE IF NOT EXISTS models (model_id TEXT)")
rows.execute("CREATE TABLE IF NOT EXISTS futures (request_id INTEGER)")
rows.execute("CREATE TABLE IF NOT EXISTS checkpoints (model_id TEXT, checkpoint_id TEXT, checkpoint_type TEXT, status TEXT)")


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status: int, text: str = "") -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self) -> None:
        self.answer(200)

    def do_POST(self) -> None:
        path, _, name = self.path.partition("?")
        if options.host == "127.0.0.1" and self.headers["x-node"] != host:
            return self.answer(404, "the server listens on its own node only")
        file = os.path.join(options.checkpoints_base, f"{name}.tar.gz")
        if path == "/load":
            found = rows.execute("SELECT 1 FROM checkpoints WHERE checkpoint_id = ?", (name,)).fetchall()
            return self.answer(200 if found and os.path.exists(file) else 404, f"Checkpoint not found: {name}")
        with open(file, "w", encoding="utf8"):
            rows.execute("INSERT INTO futures VALUES (1)")
            rows.execute("INSERT INTO checkpoints VALUES ('m', ?, 'TRAINING', 'COMPLETED')", (name,))
            rows.commit()
        return self.answer(200)

    def log_message(self, *_: object) -> None:
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(options.port)), Handler)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
server.serve_forever()
