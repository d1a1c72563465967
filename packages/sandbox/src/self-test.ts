import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { allowedCalls } from "./bubblewrap/system-call-filter.ts";
import type { Sandbox, SandboxJob, SandboxLimits, SandboxResult, SandboxStatus } from "./sandbox.ts";

/**
 * Tries to get out of a sandbox: to a file, a variable and a port of this process, the kernel's settings, sockets and
 * calls, past its limits, and into the next run.
 * @returns what succeeded
 * @throws LaconicError `engine_failed` if the machine or signal prevented an attempt
 */
export async function selfTest(sandbox: Sandbox, signal?: AbortSignal): Promise<string[]> {
  const secret = `laconic-secret-${randomUUID()}`;
  const folder = await mkdtemp(join(tmpdir(), "laconic-sandbox-"));
  const server = createServer((socket) => {
    connected = true;
    socket.end(secret);
  });
  let connected = false;
  const escaped: string[] = [];
  const run = (job: SandboxJob): Promise<SandboxResult> => runDecided(sandbox, { ...job, ...(signal && { signal }) });
  process.env["LACONIC_SANDBOX_SECRET"] = secret;
  try {
    await writeFile(join(folder, "secret"), secret);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const before = await readdir(folder);
    for (const { name, program } of attemptsAt(folder, (server.address() as AddressInfo).port)) {
      const result = await run({ code: program, seconds: 5 });
      const wrote = (await readdir(folder)).length !== before.length;
      const [first, ...others] = reachedIn(result);
      if (`${result.stdout}${result.stderr}`.includes(secret) || connected || wrote) escaped.push(name);
      else if (first !== undefined)
        escaped.push(`${name} (${first}${others.length > 0 ? `, and ${others.length} more` : ""})`);
      connected = false;
    }
  } finally {
    delete process.env["LACONIC_SANDBOX_SECRET"];
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
  for (const [name, code, seconds, ends] of beyond(sandbox.record.limits)) {
    const { status } = await run({ code, seconds });
    if (!ends.includes(status)) escaped.push(`${name} (${status})`);
  }
  await run({ code: "import builtins, json\nbuiltins.len = lambda x: 7\njson.dumps = None" });
  const { stdout } = await run({ code: "import json\nprint(len([]), json.dumps([]))" });
  if (stdout.trim() !== "0 []") escaped.push("a builtin patched for the next run");
  return escaped;
}

async function runDecided(sandbox: Sandbox, job: SandboxJob): Promise<SandboxResult> {
  const result = await sandbox.run(job);
  if (result.status !== "undecided" && result.status !== "aborted") return result;
  const reason = result.status === "aborted" ? "aborted" : result.stderr;
  throw new LaconicError("engine_failed", `the sandbox's self-test could not run: ${reason}`);
}

type Excess = readonly [name: string, code: string, seconds: number, ends: readonly SandboxStatus[]];

function beyond({ memoryMiB, outputBytes }: SandboxLimits): Excess[] {
  const output = `import sys\nfor _ in range(100): sys.stdout.write("x" * ${Math.ceil(outputBytes / 50)})`;
  const memory = `x = bytearray(${(memoryMiB + 64) * 2 ** 20})`;
  return [
    ["an endless loop", "while True: pass", 0.3, ["time"]],
    ["more memory than allowed", memory, 5, ["memory", "crashed", "exception"]],
    ["more output than allowed", output, 5, ["output"]],
  ];
}

/** Program of a table, `#= name | field | field`, and its lines. */
export interface Section {
  readonly name: string;
  readonly fields: readonly string[];
  readonly program: string;
}

export function sectionsOf(file: URL): Section[] {
  const sections = readFileSync(file, "utf8").split(/^#= /mu).slice(1);
  return sections.map((section) => {
    const [head = "", program = ""] = section.split(/\n([^]*)/u);
    const [name = "", ...fields] = head.split("|").map((field) => field.trim());
    return { name, fields, program };
  });
}

/** Programs that try to read `secret` in a folder, reach a port, or reach the kernel. */
export function attemptsAt(folder: string, port: number): Section[] {
  const names = { FOLDER: folder, SECRET: `${folder}/secret`, PORT: port, CALLS: untriedCalls() };
  const head = [
    "import os",
    ...Object.entries(names).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    'def reached(*what): print("reached", *what, flush=True)',
  ].join("\n");
  const sections = sectionsOf(new URL("../assets/self-test.py", import.meta.url));
  return sections.map(({ program, ...section }) => ({ ...section, program: `${head}\n${program}` }));
}

/** Also counts attempts that did not finish. */
export function reachedIn({ status, stdout }: Pick<SandboxResult, "status" | "stdout">): string[] {
  const reached = [...stdout.matchAll(/^reached (.+)$/gmu)].map(([, what]) => what!);
  return ["ok", "exception", "unsupported"].includes(status) ? reached : [...reached, `ended with ${status}`];
}

/**
 * Allowed calls; on x86-64 also pause, fork and vfork, which never return alone, and uretprobe and uprobe, which no
 * filter sees; and fcntl, partly allowed.
 */
function untriedCalls(): number[] {
  return [...(allowedCalls()?.values() ?? []), ...(process.arch === "x64" ? [34, 57, 58, 72, 335, 336] : [25])];
}
