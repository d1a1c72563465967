import packageJson from "../package.json" with { type: "json" };
import { spinWhile } from "./cli/progress.ts";
import { sayError } from "./cli/say-error.ts";
import { findCommand, loadCommand } from "./dispatch/find-command.ts";
import { processTerminal } from "./cli/terminal.ts";
import { presetHelp, usageOf } from "./dispatch/usage.ts";
import type { CommandContext } from "./cli/command.ts";

/** Runs the command line. @returns the exit code: 0 done, 1 failure, 2 usage or refused, 130 and 143 signals */
export async function main(args: readonly string[], context: CommandContext): Promise<number> {
  const { terminal } = context;
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) {
    terminal.result(packageJson.version);
    return 0;
  }
  if (args.length === 0) {
    terminal.note(usageOf([], terminal));
    return 2;
  }
  const head = withoutRest(args);
  const asksHelp = args[0] === "help" || head.some((word) => word === "--help" || word === "-h");
  const json = head.includes("--json");
  if (asksHelp && head.length === 2 && head[1] === "presets") {
    terminal.result(presetHelp(terminal));
    return 0;
  }
  const named = args[0] === "help" ? args.slice(1) : args;
  try {
    const foundCommand = await findCommand(named);
    // Help of a group or the root needs no command.
    const isStray = foundCommand.problem !== null && named[foundCommand.path.length]?.startsWith("-") === false;
    if (asksHelp && !isStray) {
      terminal.result(usageOf(foundCommand.path, terminal));
      return 0;
    }
    if (foundCommand.problem !== null) {
      sayError({ code: "usage", message: foundCommand.problem }, terminal, json);
      // After a typo, the full list would hide the message.
      terminal.note(
        foundCommand.path.length === 0 ? "laconic help lists the commands" : usageOf(foundCommand.path, terminal),
      );
      return 2;
    }
    const [{ runCommand }, { UsageError }, { sharingValues }] = await Promise.all([
      import("./cli/command.ts"),
      import("./cli/arguments.ts"),
      import("@laconic/runtime/shared-values"),
    ]);
    try {
      const command = await loadCommand(foundCommand, context);
      return await sharingValues(terminal.warn, () =>
        runCommand(foundCommand.path.join(" "), command, foundCommand.rest, terminal),
      );
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      sayError({ code: "usage", message: error.message }, terminal, json);
      terminal.note(usageOf(foundCommand.path, terminal));
      return 2;
    }
  } catch (error) {
    const { reportError } = await import("./cli/errors.ts");
    return reportError(error, terminal, json);
  }
}

/** Arguments before `--`; later ones belong to another program. */
function withoutRest(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return end === -1 ? args : args.slice(0, end);
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
