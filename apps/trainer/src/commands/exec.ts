import { choiceFlag, grouped, positional, positiveFlag, textFlag } from "../cli/arguments.ts";
import { text } from "node:stream/consumers";
import { formatDuration } from "@laconic/core/text";
import { createSandbox, defaultLimits, type SandboxResult } from "@laconic/sandbox";
import { command, type Command } from "../cli/command.ts";
import { readGiven } from "../cli/files.ts";
import { jsonFlag } from "../cli/flags.ts";
import { visibleJson } from "../cli/terminal.ts";

export const execCommand: Command = command({
  description: "Run a Python program in the sandbox without files, network or environment",
  examples: ["laconic exec program.py --timeout 5"],
  args: {
    file: positional("Program; - reads standard input", "FILE.py"),
    ...grouped("Input", { input: textFlag("File for the program's standard input", "file") }),
    ...grouped("Run", {
      kind: choiceFlag("Python in WebAssembly, or the system's in bubblewrap", ["wasi", "bubblewrap"], "wasi"),
    }),
    ...grouped("Limits", {
      timeout: positiveFlag("Max run time in seconds", "s", String(defaultLimits.seconds)),
      memory: positiveFlag("Max memory in MiB", "MiB", String(defaultLimits.memoryMiB)),
    }),
    ...jsonFlag,
  },
  run: async ({ file, kind, input, timeout: seconds, memory, json }, { terminal }) => {
    const code = file === "-" ? await text(process.stdin) : (await readGiven(file)).toString();
    const sandbox = await createSandbox({ kind, limits: { seconds, memoryMiB: memory }, concurrency: 1 });
    try {
      const result = await sandbox.run({
        code,
        ...(input !== undefined && { stdin: (await readGiven(input)).toString() }),
      });
      if (json) terminal.result(visibleJson({ ...result, sandbox: sandbox.record }));
      else {
        if (result.stdout !== "") terminal.result(result.stdout.replace(/\n$/u, ""));
        if (result.stderr !== "") terminal.note(result.stderr.trimEnd());
        terminal.note(`${ending(result)} (${formatDuration(result.seconds)})`);
      }
      return result.status === "ok" ? 0 : 1;
    } finally {
      await sandbox.close();
    }
  },
});

function ending({ status, exitCode }: SandboxResult): string {
  const endings: Readonly<Record<SandboxResult["status"], string>> = {
    ok: "done",
    exception: `exit code ${exitCode}`,
    memory: "stopped: memory limit",
    output: "stopped: output limit",
    time: "stopped: time limit",
    unsupported: "stopped: the sandbox lacks a module or system call",
    crashed: "the interpreter crashed",
    undecided: "undecided: the machine could not run the program",
    aborted: "aborted",
  };
  return endings[status];
}
