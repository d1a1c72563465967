import { stripVTControlCharacters } from "node:util";
import { runCommand, renderUsage, type CommandDef } from "citty";
import packageJson from "../package.json" with { type: "json" };
import { ExitCode } from "./cli/command.ts";
import { clipped, reportError } from "./cli/errors.ts";
import { processTerminal, type Terminal } from "./cli/terminal.ts";
import type { CommandContext } from "./commands/common.ts";
import { auditCommand } from "./commands/audit.ts";
import { ablateCommand } from "./commands/ablate.ts";
import { benchCommand } from "./commands/bench.ts";
import { dataCommand } from "./commands/data.ts";
import { execCommand } from "./commands/exec.ts";
import { gradeCommand } from "./commands/grade.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { evalCommand } from "./commands/eval.ts";
import { initCommand } from "./commands/init.ts";
import { judgeCommand } from "./commands/judge.ts";
import { pairsCommand } from "./commands/pairs.ts";
import { planCommand } from "./commands/plan.ts";
import { quickstartCommand } from "./commands/quickstart.ts";
import { relayCommand } from "./commands/relay.ts";
import { storyCommand } from "./commands/story.ts";
import { reportCommand } from "./commands/report.ts";
import { sendCommand } from "./commands/send.ts";
import { serveCommand } from "./commands/serve.ts";
import { rescoreCommand } from "./commands/rescore.ts";
import { sweepCommand } from "./commands/sweep.ts";
import { analyzeCommand } from "./commands/analyze.ts";
import { topologyCommand } from "./commands/topology.ts";
import { trainCommand } from "./commands/train.ts";

type Commands = Record<string, CommandDef>;

/** Runs the command line and returns its exit code: 0 done, 1 failure, 2 usage or refused, 130 and 143 signals. */
export async function main(words: readonly string[], context: CommandContext): Promise<number> {
  const exit = new ExitCode();
  const root: CommandDef = {
    meta: { name: "laconic", version: packageJson.version, description: packageJson.description },
    subCommands: {
      quickstart: quickstartCommand(context, exit),
      init: initCommand(context, exit),
      train: trainCommand(context, exit),
      plan: planCommand(context, exit),
      eval: evalCommand(context, exit),
      report: reportCommand(context, exit),
      send: sendCommand(context, exit),
      audit: auditCommand(context, exit),
      serve: serveCommand(context, exit),
      data: dataCommand(context, exit),
      grade: gradeCommand(context, exit),
      judge: judgeCommand(context, exit),
      bench: benchCommand(context, exit),
      pairs: pairsCommand(context, exit),
      exec: execCommand(context, exit),
      topology: topologyCommand(context, exit),
      sweep: sweepCommand(context, exit),
      ablate: ablateCommand(context, exit),
      analyze: analyzeCommand(context, exit),
      rescore: rescoreCommand(context, exit),
      relay: relayCommand(context, exit),
      story: storyCommand(context, exit),
      doctor: doctorCommand(context, exit),
    },
  };
  const { terminal } = context;
  if (words.length === 1 && (words[0] === "--version" || words[0] === "-v")) {
    terminal.result(packageJson.version);
    return 0;
  }
  const { command, parent } = locate(root, words);
  if (words.length === 0 || words.includes("--help") || words.includes("-h")) {
    const usage = await usageOf(command, parent, terminal);
    if (words.length === 0) terminal.note(usage);
    else terminal.result(usage);
    return words.length === 0 ? 2 : 0;
  }
  try {
    await runCommand(root, { rawArgs: [...words] });
    return exit.value;
  } catch (error) {
    if (!isUsageError(error)) return reportError(error, terminal);
    const message = clipped(terminal.interactive ? error.message : stripVTControlCharacters(error.message));
    terminal.note(`${terminal.paint("red", "laconic:")} ${message}`);
    terminal.note(await usageOf(command, parent, terminal));
    return 2;
  }
}

/** citty colours its usage text for every output; a pipe gets plain text. */
async function usageOf(command: CommandDef, parent: CommandDef | undefined, terminal: Terminal): Promise<string> {
  const usage = await renderUsage(command, parent);
  return terminal.interactive ? usage : stripVTControlCharacters(usage);
}

/** The command that the words name, as deep as they go. */
function locate(root: CommandDef, words: readonly string[]): { command: CommandDef; parent?: CommandDef } {
  let found: { command: CommandDef; parent?: CommandDef } = { command: root };
  for (const word of words) {
    const next = (found.command.subCommands as Commands | undefined)?.[word];
    if (!next) break;
    found = { command: next, parent: found.command };
  }
  return found;
}

/** citty's own errors: unknown command, missing or malformed argument. */
function isUsageError(error: unknown): error is Error {
  return error instanceof Error && error.name === "CLIError";
}

/** The process's entry: opened by `assets/laconic.mjs` and by the repository's scripts. */
export async function runProcess(): Promise<void> {
  // Whoever reads has enough, as `head` does: end as other programs end by SIGPIPE.
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 141 : 1));
  process.exitCode = await main(process.argv.slice(2), {
    terminal: processTerminal(process.stdout, process.stderr, process.stdin),
  });
}
