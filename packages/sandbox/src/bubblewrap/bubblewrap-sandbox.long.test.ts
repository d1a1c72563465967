import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { createSandbox } from "../create-sandbox.ts";
import { sandboxCases } from "../testing/index.ts";
import { attemptsAt, reachedIn } from "../self-test.ts";
import { nativePython, wrapArguments } from "./bubblewrap-sandbox.ts";

function reasonNot(): string | null {
  try {
    nativePython();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const missing = reasonNot();

describe("Python under bubblewrap", async () => {
  test("is available", ({ skip }) => skip(missing !== null, missing ?? ""));
  if (missing !== null) return;
  const sandbox = await createSandbox({ kind: "bubblewrap" });
  afterAll(() => sandbox.close());
  for (const item of sandboxCases) test(item.name, () => item.run(sandbox));

  const kernel = attemptsAt("/nowhere", 9).filter(({ fields }) => fields.includes("kernel"));
  test.for(kernel)("its self-test would notice: $name", ({ name, program }, { skip }) => {
    if (name.includes("setting") && process.getuid?.() !== 0) return skip("only root's programs could");
    if (name.includes("mode") && process.getuid?.() !== 0) return skip("only root's programs could");
    const native = nativePython();
    const careless = [...wrapArguments(native).slice(0, -2), "--proc", "/proc", "--dev", "/dev"];
    const { stdout } = spawnSync(native.bwrap, [...careless, native.executable, "-I", "-S", "-c", program], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe", "pipe"], // the last is left open
      timeout: 50_000,
    });
    expect(reachedIn({ status: "ok", stdout })).not.toEqual([]);
  });
  test("Python's library works without network, threads and children", async () => {
    const { stderr, stdout } = await sandbox.run({ code: library });
    expect([stderr, stdout]).toEqual(["", "done\n"]);
  });
});

const library = `
import ast, asyncio, bisect, calendar, collections, copy, csv, ctypes, dataclasses, datetime, decimal, enum, fractions, functools
import glob, gzip, hashlib, heapq, io, itertools, json, logging, math, mmap, multiprocessing, operator, os, pathlib, pickle, random
import re, resource, secrets, select, shutil, signal, socket, sqlite3, statistics, string, struct, subprocess, sys, tempfile
import textwrap, threading, time, traceback, types, typing, unittest, urllib.request, uuid, zipfile, zlib

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "a", "b.txt")
    path.parent.mkdir()
    path.write_text("text")
    shutil.copy2(path, path.with_name("c.txt"))
    os.replace(path, path.with_suffix(".old"))
    path.with_name("link").symlink_to("c.txt")
    path.with_name("c.txt").touch()
    assert sorted(os.listdir(path.parent)) == ["b.old", "c.txt", "link"]
    assert path.with_name("link").resolve().read_text() == "text"
    with open(path.with_name("c.txt"), "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[0:1] = b"n"
    assert [entry.stat().st_size for entry in os.scandir(path.parent) if entry.is_file()] == [4, 4, 4]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x", "y")
    db = sqlite3.connect(os.path.join(folder, "db"))
    db.execute("create table t (x)")
    db.commit()
    db.close()
signal.signal(signal.SIGALRM, lambda *_: print("done"))
signal.setitimer(signal.ITIMER_REAL, 0.01)
time.sleep(0.1)
assert not sys.stdout.isatty() and len(os.urandom(9)) == 9 and os.cpu_count() and uuid.uuid4()
assert os.path.exists(sys.executable) and os.getcwd() == "/tmp" and not threading.Lock().locked()
`;

test("a missing sandbox is reported, and no weaker one replaces it", async () => {
  await expect(createSandbox({ kind: "bubblewrap", python: "/no/such/python" })).rejects.toFailWith(
    "device_unavailable",
    /^the bubblewrap sandbox needs /u,
  );
});
