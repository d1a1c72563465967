import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { escapeAttempts, gradingAttempts } from "./attempts.ts";
import { kernelAttempts, reachedOf } from "./kernel-attempts.ts";
import { gradeProgram } from "./grading/grade-program.ts";
import type { Sandbox, SandboxJob, SandboxResult } from "./sandbox.ts";

/**
 * Tries to get out of a sandbox: to a file, a variable and a port that this process puts there for it to find, to the kernel's
 * settings, sockets and calls, past its limits, into the next run, and past the grader.
 * @returns what succeeded; empty when nothing did
 * @throws LaconicError `engine_failed` where the machine, or the signal, kept an attempt from running: nothing is known then
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
    const { port } = server.address() as AddressInfo;
    const before = await readdir(folder);
    for (const { name, code } of escapeAttempts({ folder, port })) {
      const { stdout, stderr } = await run({ code, seconds: 5 });
      const wrote = (await readdir(folder)).length !== before.length;
      if (`${stdout}${stderr}`.includes(secret) || connected || wrote) escaped.push(name);
      connected = false;
    }
  } finally {
    delete process.env["LACONIC_SANDBOX_SECRET"];
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
  for (const { name, code } of kernelAttempts()) {
    const [first, ...others] = reachedOf(await run({ code, seconds: 5 }));
    if (first !== undefined)
      escaped.push(`${name} (${first}${others.length > 0 ? `, and ${others.length} more` : ""})`);
  }
  for (const { name, code, ends, seconds } of limitAttempts(sandbox)) {
    const { status } = await run({ code, seconds });
    if (!ends.includes(status)) escaped.push(`${name} (${status})`);
  }
  await run({ code: "import builtins, json\nbuiltins.len = lambda x: 7\njson.dumps = None" });
  const { stdout } = await run({ code: "import json\nprint(len([]), json.dumps([]))" });
  if (stdout.trim() !== "0 []") escaped.push("a builtin patched for the next run");
  for (const { name, program, tests } of gradingAttempts) {
    const { correct, decided, limited, rule } = await gradeProgram(program, tests, sandbox, signal && { signal });
    if (!decided && !limited) throw untested(rule);
    if (correct) escaped.push(`grading: ${name}`);
  }
  return escaped;
}

async function runDecided(sandbox: Sandbox, job: SandboxJob): Promise<SandboxResult> {
  const result = await sandbox.run(job);
  if (result.status !== "undecided" && result.status !== "aborted") return result;
  throw untested(result.status === "aborted" ? "aborted" : result.stderr);
}

function untested(reason: string): LaconicError {
  return new LaconicError("engine_failed", `the sandbox's self-test could not run: ${reason}`);
}

function limitAttempts({
  record,
}: Sandbox): { name: string; code: string; ends: readonly string[]; seconds: number }[] {
  const { memoryMiB, outputBytes } = record.limits;
  return [
    { name: "an endless loop", code: "while True: pass", ends: ["time"], seconds: 0.3 },
    {
      name: "more memory than allowed",
      code: `x = bytearray(${(memoryMiB + 64) * 2 ** 20})`,
      ends: ["memory", "crashed", "exception"],
      seconds: 5,
    },
    {
      name: "more output than allowed",
      code: `import sys\nfor _ in range(100): sys.stdout.write("x" * ${Math.ceil(outputBytes / 50)})`,
      ends: ["output"],
      seconds: 5,
    },
  ];
}
