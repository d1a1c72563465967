// Depth of recursion, speed, start time and memory of Python builds: the sandboxes that are here, the machine's Python, and with
// `--pyodide FOLDER` the npm package that was unpacked there, which runs without a sandbox.
import { execFileSync, spawnSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { createSandbox, type Sandbox } from "@laconic/sandbox";
import { machine, print } from "../measure.ts";
import { readOptions } from "../options.ts";

const { values } = readOptions({
  options: { pyodide: { type: "string" }, python: { type: "string", default: "python3" } },
});

/** Each defines `f(n)`, which is n and nests n calls. */
const ways: Readonly<Record<string, string>> = {
  plain: "def f(n): return 0 if n == 0 else 1 + f(n - 1)",
  cache: "from functools import cache\n@cache\ndef f(n): return 0 if n == 0 else 1 + f(n - 1)",
  generator: "def f(n): return 0 if n == 0 else 1 + max(f(n - 1) for _ in range(1))",
  map: "def f(n): return 0 if n == 0 else 1 + sum(map(f, [n - 1]))",
  call: "class F:\n    def __call__(self, n): return 0 if n == 0 else 1 + self(n - 1)\nf = F()",
  sortedKey: "def f(n):\n    if n: sorted([n - 1], key=f)\n    return n",
  equality:
    "class A:\n    def __init__(self, n): self.n = n\n    def __eq__(self, o): return self.n == 0 or A(self.n - 1) == o\ndef f(n): return n if A(n) == 1 else -1",
  repr: "def f(n):\n    x = []\n    for _ in range(n): x = [x]\n    return len(repr(x)) // 2 - 1",
  json: "import json\ndef f(n):\n    x = []\n    for _ in range(n): x = [x]\n    return len(json.dumps(json.loads(json.dumps(x)))) // 2 - 1",
  deepcopy: "import copy\ndef f(n):\n    x = []\n    for _ in range(n): x = [x]\n    copy.deepcopy(x)\n    return n",
};
const depths = [50, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000];
const busy = "s = 0\nfor i in range(5_000_000): s = (s * 31 + i) % 1_000_003\nprint(s)";
const random = "import random\nprint(hash('a'), random.random(), list({'x', 'y', 'z'}))";

type Run = (code: string) => Promise<string | null>;

async function measure(name: string, run: Run, more: object): Promise<void> {
  const deepest: Record<string, number> = {};
  for (const [way, code] of Object.entries(ways)) {
    deepest[way] = 0;
    for (const depth of depths) {
      const printed = await run(`import sys\nsys.setrecursionlimit(60_000)\n${code}\nprint(f(${depth}))`);
      if (printed?.trim() !== String(depth)) break;
      deepest[way] = depth;
    }
  }
  const timed = async (code: string): Promise<number> => {
    const start = performance.now();
    await run(code);
    return (performance.now() - start) / 1000;
  };
  const [emptySeconds, busySeconds] = [await timed(""), await timed(busy)];
  const repeats = (await run(random)) === (await run(random));
  print("interpreter", { name, deepest, emptySeconds, busySeconds, repeats, ...more });
}

/** Resident memory of this process's children in MiB. */
function childrenMiB(): number {
  const lines = execFileSync("ps", ["--ppid", String(process.pid), "-o", "rss="], { encoding: "utf8" }).trim();
  return Math.round(lines.split("\n").reduce((sum, line) => sum + Number(line), 0) / 1024);
}

function native(command: string, args: readonly string[]): Run {
  return async (code) => {
    const { status, stdout } = spawnSync(command, args, { input: code, encoding: "utf8", timeout: 60_000 });
    return status === 0 ? stdout : null;
  };
}

async function measureSandbox(kind: "wasi" | "bubblewrap"): Promise<void> {
  const start = performance.now();
  const sandbox: Sandbox = await createSandbox({ kind, concurrency: 1, limits: { seconds: 60 } });
  const openSeconds = (performance.now() - start) / 1000;
  const run: Run = async (code) => {
    const { status, stdout } = await sandbox.run({ code });
    return status === "ok" ? stdout : null;
  };
  await run("");
  const idleMiB = childrenMiB();
  await measure(sandbox.record.version, run, { kind, openSeconds, idleMiB, afterMiB: childrenMiB() });
  await sandbox.close();
}

print("machine", machine());
for (const kind of ["wasi", "bubblewrap"] as const)
  await measureSandbox(kind).catch((error: unknown) => print("interpreter", { kind, missing: String(error) }));
await measure(`${values.python}, no sandbox`, native(values.python, ["-"]), {});
if (values.pyodide !== undefined) {
  const source = [
    `import { loadPyodide } from ${JSON.stringify(pathToFileURL(`${values.pyodide}/pyodide.mjs`).href)};`,
    `import { readFileSync } from "node:fs";`,
    `const python = await loadPyodide();`,
    `await python.runPythonAsync(readFileSync(0, "utf8"));`,
  ].join("\n");
  await measure("pyodide, no sandbox", native(process.execPath, ["--input-type=module", "-e", source]), {});
}
