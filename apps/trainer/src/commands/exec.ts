import { text } from "node:stream/consumers";
import { formatDuration } from "@laconic/core/text";
import { createSandbox, defaultLimits, type SandboxResult } from "@laconic/sandbox";
import { command, type Command } from "../cli/command.ts";
import { readGiven } from "../cli/files.ts";
import { positiveNumber } from "../cli/numbers.ts";
import { jsonFlag } from "../cli/flags.ts";
import { visibleJson } from "../cli/visible-json.ts";

export const execCommand: Command = command({
  description: "Run a Python program in the sandbox: no files, no network, no environment, within limits",
  args: {
    file: {
      type: "positional",
      description: "The program; - reads standard input",
      valueHint: "FILE.py",
    },
    kind: {
      type: "enum",
      description: "Python in WebAssembly, or the machine's Python under bubblewrap",
      options: ["wasi", "bubblewrap"],
      default: "wasi",
    },
    input: { type: "string", description: "File that the program reads as its standard input", valueHint: "file" },
    seconds: {
      type: "string",
      description: "Of the program's own time",
      valueHint: "s",
      default: String(defaultLimits.seconds),
    },
    memory: { type: "string", description: "Memory", valueHint: "MiB", default: String(defaultLimits.memoryMiB) },
    ...jsonFlag,
  },
  run: async ({ file, kind, input, seconds, memory, json }, { terminal }) => {
    const code = file === "-" ? await text(process.stdin) : (await readGiven(file)).toString();
    const limits = { seconds: positiveNumber("seconds", seconds), memoryMiB: positiveNumber("memory", memory) };
    const sandbox = await createSandbox({ kind, limits, concurrency: 1 });
    try {
      const result = await sandbox.run({
        code,
        ...(input !== undefined && { stdin: (await readGiven(input)).toString() }),
      });
      if (json === true) terminal.result(visibleJson({ ...result, sandbox: sandbox.record }));
      else {
        if (result.stdout !== "") terminal.result(result.stdout.replace(/\n$/u, ""));
        if (result.stderr !== "") terminal.note(result.stderr.trimEnd());
        terminal.note(summary(result));
      }
      return result.status === "ok" ? 0 : 1;
    } finally {
      await sandbox.close();
    }
  },
});

function summary({ status, exitCode, seconds }: SandboxResult): string {
  const how: Readonly<Record<SandboxResult["status"], string>> = {
    ok: "done",
    exception: `exit code ${exitCode}`,
    memory: "stopped: memory limit",
    output: "stopped: output limit",
    time: "stopped: time limit",
    unsupported: "stopped: the sandbox lacks a module or system call",
    crashed: "the interpreter died",
    undecided: "undecided: the machine did not let it run",
    aborted: "aborted",
  };
  return `${how[status]} (${formatDuration(seconds)})`;
}
