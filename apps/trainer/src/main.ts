import packageJson from "../package.json" with { type: "json" };
import { spinWhile } from "./cli/progress.ts";
import { sayError } from "./cli/say-error.ts";
import { findCommand, loadCommand } from "./dispatch/find-command.ts";
import { processTerminal, type Terminal } from "./cli/terminal.ts";
import { presetHelp, usageOf } from "./dispatch/usage.ts";
import type { CommandContext } from "./cli/command.ts";

/** Runs the command line. @returns the exit code: 0 done, 1 failure, 2 usage or refused, 130 and 143 signals */
export async function main(words: readonly string[], context: CommandContext): Promise<number> {
  const { terminal } = context;
  if (words.length === 1 && (words[0] === "--version" || words[0] === "-v")) {
    terminal.result(packageJson.version);
    return 0;
  }
  if (words.length === 0) {
    terminal.note(usageOf([], terminal));
    return 2;
  }
  const own = withoutRest(words);
  const asksHelp = words[0] === "help" || own.some((word) => word === "--help" || word === "-h");
  const json = own.includes("--json");
  if (asksHelp && own.length === 2 && own[1] === "presets") {
    terminal.result(presetHelp(terminal));
    return 0;
  }
  const named = words[0] === "help" ? words.slice(1) : words;
  try {
    const found = await findCommand(named);
    // Help of a group or the root needs no command.
    const isStray = found.problem !== null && named[found.path.length]?.startsWith("-") === false;
    if (asksHelp && !isStray) {
      terminal.result(usageOf(found.path, terminal));
      return 0;
    }
    if (found.problem !== null) {
      sayUsageError(found.problem, terminal, json);
      // After a typo, the full list would hide the message.
      terminal.note(found.path.length === 0 ? "laconic help lists the commands" : usageOf(found.path, terminal));
      return 2;
    }
    const [{ runCommand }, { UsageError }, { sharingValues }] = await Promise.all([
      import("./cli/command.ts"),
      import("./cli/arguments.ts"),
      import("@laconic/runtime/shared-values"),
    ]);
    try {
      const command = await loadCommand(found, context);
      return await sharingValues(terminal.warn, () => runCommand(found.path.join(" "), command, found.rest, terminal));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      sayUsageError(error.message, terminal, json);
      terminal.note(usageOf(found.path, terminal));
      return 2;
    }
  } catch (error) {
    // Loaded only after an error.
    const { reportError } = await import("./cli/errors.ts");
    return reportError(error, terminal, json);
  }
}

/** Arguments before `--`; later ones belong to another program. */
function withoutRest(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end === -1 ? words : words.slice(0, end);
}

function sayUsageError(message: string, terminal: Terminal, json: boolean): void {
  sayError({ code: "usage", message }, terminal, json);
}

/** Entry for `assets/laconic.mjs` and scripts. @param explained - called if the reason for the exit has been printed */
export async function runProcess(explained: () => void = () => undefined): Promise<void> {
  const ended = (error: NodeJS.ErrnoException): void => {
    // The reader stopped, like `head`: exit as SIGPIPE would.
    if (error.code === "EPIPE") process.exit(141);
  };
  // Unwritable progress is ignored; an unwritable result is an error.
  process.stderr.on("error", ended);
  process.stdout.on("error", (error) => {
    ended(error);
    process.stderr.write(`laconic: the result cannot be written to standard output: ${error.message}\n`);
    explained();
    process.exit(1);
  });
  const terminal = processTerminal(process.stdout, process.stderr, process.stdin);
  process.exitCode = await main(process.argv.slice(2), {
    terminal,
    whileLoading: (name, load) => spinWhile(terminal, `loading the options of ${name}`, load),
  });
}
