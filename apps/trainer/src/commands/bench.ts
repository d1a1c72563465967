import { existsSync } from "node:fs";
import { flagError, grouped, toggle } from "../cli/arguments.ts";
import { join, resolve } from "node:path";
import { baselines, scoringMethods } from "@laconic/baselines";
import { deadResults, estimate, estimateCells, type SampleRecord } from "@laconic/evaluation";
import {
  benchDataOf,
  gridLines,
  listedProtocols,
  pairSettingsFile,
  protocolList,
  readBenchConfig,
} from "@laconic/evaluation/bench";
import { hubEnvironment } from "@laconic/hub";
import { writeBench } from "@laconic/view/report";
import {
  checkBenchTrust,
  keepQuestions,
  playQuestions,
  prepareQuestions,
  type PreparedQuestions,
} from "@laconic/runtime/bench";
import { configOf, benchTasks, checkEmpty, codeOf, limitsOf } from "../bench/bench-arguments.ts";
import { playFlags, questionFlags, taskFlags, type BenchArguments } from "../bench/bench-flags.ts";
import { command, type Command } from "../cli/command.ts";
import { printResult, visibleJson, type Terminal } from "../cli/terminal.ts";
import { spendingFlags, timeoutFlag } from "../run/spending.ts";
import { withDashboard } from "../serving/with-dashboard.ts";
import { jsonFlag, trustFlag, viewFlag } from "../cli/flags.ts";
import type { SpendAccount } from "@laconic/openai";
import { formatPercent, formatUsd } from "@laconic/core/text";
import { leftText, showProgress } from "../cli/progress.ts";

const benchFlags = {
  ...questionFlags,
  ...taskFlags,
  ...playFlags,
  methods: {
    ...playFlags.methods,
    description: `all (published methods), equal-budget (one agent per team's budget), NAME=RUN (trained team), ./FILE.ts, or: ${[...baselines, ...scoringMethods].map(({ name }) => name).join(", ")}`,
  },
  ...spendingFlags,
  ...timeoutFlag,
  ...grouped("Input", { offline: toggle("Use local data files only") }),
  ...grouped("Run", { list: toggle("List the methods and their protocols, and stop") }),
  ...trustFlag,
  ...viewFlag,
  ...jsonFlag,
} as const;

export const benchCommand: Command = command({
  description: "Run published methods or trained teams on benchmarks, your questions or tasks, and write tables",
  examples: [
    "laconic bench --list",
    "laconic bench --benchmarks gsm8k --methods cot,debate --model gpt-4o-mini --limit 100 --dry-run",
  ],
  args: benchFlags,
  run: async (args, { terminal }) => {
    if (args.list) {
      printResult(terminal, args.json, listedProtocols(args.methods), () => protocolList(args.methods));
      return 0;
    }
    const directory = resolve(args.run);
    const isOnTasks = args.tasks !== undefined || (args.resume && existsSync(join(directory, pairSettingsFile)));
    if (!isOnTasks) {
      refuseStray(args, Object.keys(taskFlags), "without --tasks");
      return playBench(args, terminal);
    }
    refuseStray(args, Object.keys(questionFlags), "with --tasks");
    const shown = { folder: directory, page: "list" } as const;
    return withDashboard(args.view, shown, terminal, () => benchTasks(args, terminal));
  },
});

type PlayArguments = BenchArguments & {
  readonly offline: boolean;
  readonly json: boolean;
  readonly view?: boolean;
  readonly timeout?: number | undefined;
  /** Command that resumes it. Default: `laconic bench`. */
  readonly again?: string;
};

/** @returns the exit code */
export async function playBench(args: PlayArguments, terminal: Terminal): Promise<number> {
  const directory = resolve(args.run);
  const limits = limitsOf(args, terminal);
  const prepared = await preparedQuestions(args, directory, terminal);
  if (args["dry-run"]) {
    const { jobs, settings, config } = prepared;
    const cells = estimateCells(jobs, settings);
    if (args.json) terminal.result(visibleJson({ ...estimate(jobs, settings), cells, config }));
    else for (const line of gridLines(cells, config.price)) terminal.result(line);
    if (args.methods?.split(",").includes("all"))
      terminal.note("all: the published methods; all,equal-budget adds one agent with the tokens of each team");
    return 0;
  }
  await keepQuestions(directory, prepared, !args.resume, terminal);
  return withDashboard(args.view, { folder: directory, page: "bench" }, terminal, async () => {
    const stopped = await playQuestions(
      directory,
      prepared,
      {
        ...limits,
        insecure: args.insecure,
        onStart: (samples, account) => progressOf(samples, account, terminal),
      },
      terminal,
    );
    const { summaries, markdown, files } = await writeBench(directory);
    for (const sentence of deadResults(summaries)) terminal.warn(sentence);
    printResult(terminal, args.json, { directory, stopped, summaries, files }, () => markdown);
    return codeOf(stopped, summaries, args, terminal);
  });
}

async function preparedQuestions(
  args: PlayArguments,
  directory: string,
  terminal: Terminal,
): Promise<PreparedQuestions> {
  const match = hubEnvironment(process.env);
  const { offline } = args;
  const hub = { ...match, offline: match.offline || offline };
  const config = args.resume
    ? await readBenchConfig(directory)
    : await configOf(args, directory, await benchDataOf(args, hub, terminal.note));
  if (args.resume) await checkBenchTrust(directory, config);
  if (!args.resume && !args["dry-run"]) checkEmpty(directory);
  return prepareQuestions(config, directory, { hub, folder: args.folder, offline }, terminal);
}

function refuseStray(args: Readonly<Record<string, unknown>>, flags: readonly string[], where: string): void {
  const stray = flags.find((flag) => args[flag]);
  if (stray !== undefined) throw flagError(stray, `has no effect ${where}; remove it`);
}

function progressOf(total: number, account: SpendAccount, terminal: Terminal): (record: SampleRecord) => void {
  const started = performance.now();
  let done = 0;
  let right = 0;
  let failed = 0;
  let message = 0;
  return ({ status, correct, error, benchmark, problem, method }) => {
    done++;
    if (correct === true) right++;
    if (status !== "scored") {
      failed++;
      terminal.note(`${status === "error" ? "failed" : status}: ${benchmark} ${problem} ${method}: ${error}`);
    }
    const spent = account.spentUsd > 0 ? `  ${formatUsd(account.spentUsd)}` : "";
    const line = `${done}/${total}  right ${formatPercent(right / Math.max(1, done - failed))}${failed > 0 ? `  failed ${failed}` : ""}${spent}  ${leftText(started, done / total)}`;
    const tenth = Math.floor((10 * done) / total);
    showProgress(terminal, line, tenth > message);
    message = tenth;
  };
}
