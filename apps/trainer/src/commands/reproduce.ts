import { choiceFlag, flagError, grouped, namesFlag, optionalPositional, toggle, textFlag } from "../cli/arguments.ts";
import { formatCount, formatNumber, formatShare, shellWord } from "@laconic/core/text";
import { join, resolve } from "node:path";
import { configError } from "@laconic/core";
import {
  agentPoActor,
  boardsOf,
  isComparable,
  pairObservations,
  questionObservations,
  reproducedCells,
  reproductionLedger,
  rowOfMethod,
  temperatureDiffers,
  type LedgerRow,
  type Observation,
  type ReproducedCell,
} from "@laconic/evaluation/reproduction";
import {
  departureLines,
  questionRecords,
  readBenchConfig,
  readPairConfig,
  readRecords,
  taskRecords,
  type BenchConfig,
} from "@laconic/evaluation/bench";
import { taskSettingsSchema } from "@laconic/tasks/named";
import { codeOf, playTaskBench } from "../bench/bench-arguments.ts";
import { playFlags, questionFlags, taskFlags, type BenchArguments } from "../bench/bench-flags.ts";
import { rowRuns, type RowRuns } from "../bench/trained-rows.ts";
import { command, valuesOf, type Command } from "../cli/command.ts";
import { jsonFlag, trustFlag } from "../cli/flags.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { spendingFlags } from "../run/spending.ts";
import { openModelServer } from "../serving/model-server.ts";
import { playBench } from "./bench.ts";

const benchFlags = {
  model: playFlags.model,
  "base-url": playFlags["base-url"],
  ...spendingFlags,
  limit: playFlags.limit,
  temperature: playFlags.temperature,
  seed: playFlags.seed,
  concurrency: playFlags.concurrency,
  folder: questionFlags.folder,
  run: playFlags.run,
  resume: playFlags.resume,
  ...trustFlag,
  "dry-run": questionFlags["dry-run"],
  ...grouped("Input", { offline: toggle("Use local data files only") }),
  ...jsonFlag,
};

const papers = ["agent-gspo", "agentpo", "magrpo"] as const;

const reproduceFlags = {
  paper: optionalPositional("agent-gspo, agentpo or magrpo", "PAPER"),
  ...grouped("Input", {
    table: choiceFlag("Table of agent-gspo: accuracy (1), or tokens too (2)", ["1", "2"], "1"),
    only: namesFlag("Rows METHOD, columns /BENCHMARK, cells METHOD/BENCHMARK", "a,/b,a/b"),
    small: toggle("Play all methods on generated problems with a small local model"),
    as: textFlag("Actor of agentpo's rows (default: the model)", "actor"),
    "run-of": {
      ...namesFlag("Runs of trained rows (repeatable; several are seeds)", "row=run"),
      repeats: true,
    },
  }),
  ...benchFlags,
} as const;

type ReproduceArguments = ReturnType<typeof valuesOf<typeof reproduceFlags>>;

export const reproduceCommand: Command = command({
  description: "Reproduce a paper's table and compare each cell with the published figure",
  examples: [
    "laconic reproduce agent-gspo --table 2 --model gpt-4o-mini --dry-run",
    "laconic reproduce --small",
    "laconic reproduce agent-gspo --only agent-gspo --run-of agent-gspo=runs/seed-0 --run-of agent-gspo=runs/seed-1",
  ],
  args: reproduceFlags,
  run: async (args, { terminal }) => {
    if (args.small) return reproduceSmall(args, terminal);
    const paper = papers.find((name) => name === args.paper);
    if (paper === undefined)
      throw configError(
        `PAPER: ${args.paper === undefined ? "missing" : `unknown paper ${args.paper}`}; use one of: ${papers.join(", ")}`,
        { key: "paper" },
      );
    const all = reproductionLedger().filter((row) => row.paper === paper);
    const runArgs = args.resume ? await storedRuns(paper, args.run) : (args["run-of"] ?? []);
    const methods = all.flatMap(({ isTrained, method }) => (isTrained && method !== null ? [method] : []));
    const runs = await rowRuns(runArgs, [...new Set(methods)]);
    return paper === "magrpo"
      ? reproducePairs(args, all, runs, terminal)
      : reproduceQuestions(args, all, runs, terminal);
  },
});

const smallBenchmarks = ["steps", "steps/new-names", "steps/new-numbers", "steps/new-shapes", "steps/all-new"];

/** Plays the grid of Table 1 on generated problems with a model of this machine, three samples per question. */
async function reproduceSmall(args: ReproduceArguments, terminal: Terminal): Promise<number> {
  const { only = ["all"], as: _, model: folder = "reasoner", "run-of": teams = [], limit = 60, ...rest } = args;
  const usual = valuesOf({ ...questionFlags, ...playFlags }, {});
  const again = `laconic reproduce --small --model ${shellWord(folder)}`;
  const grid = {
    benchmarks: smallBenchmarks.join(","),
    methods: [...only, ...teams].join(","),
    repeats: 3,
    limit,
    seed: args.seed,
    "max-tokens": 256,
    // Eight examples fill a small model's context.
    shots: 0,
  };
  if (args["dry-run"]) return playBench({ ...usual, ...rest, ...grid }, terminal);
  const stored = args.resume ? await readBenchConfig(resolve(args.run)) : null;
  const port = stored ? Number(new URL(stored.baseUrl).port) : 0;
  const server = await openModelServer(folder, localServer(port), terminal);
  try {
    const fresh = stored ? {} : { ...grid, model: server.names[0], "base-url": server.url };
    return await playBench({ ...usual, ...rest, ...fresh, again }, terminal);
  } finally {
    await server.close();
  }
}

function localServer(port: number): Parameters<typeof openModelServer>[1] {
  const choice = { policy: undefined, which: "latest", sources: "own", templateArguments: {}, cap: {} } as const;
  return { host: "127.0.0.1", port, device: "auto", choice, limits: {}, keptPrefixBytes: 2 ** 28 };
}

async function storedRuns(paper: LedgerRow["paper"], run: string): Promise<readonly string[]> {
  const directory = resolve(run);
  const config = paper === "magrpo" ? readPairConfig(directory, taskSettingsSchema) : readBenchConfig(directory);
  return (await config).methods.filter((method) => method.includes("="));
}

async function reproducePairs(
  args: ReproduceArguments,
  rows: readonly LedgerRow[],
  runs: RowRuns,
  terminal: Terminal,
): Promise<number> {
  const training = rows.filter(({ method }) => !runs.departures.has(method ?? ""));
  if (runs.methods.length === 0 || args["dry-run"]) {
    const plays = runs.methods.length > 0 ? ["single", ...runs.methods] : [];
    const plan = plays.length > 0 ? [`Plays on the runs' tasks: ${plays.join(", ")}.`] : [];
    printResult(terminal, args.json, { plays, training }, () => [...plan, ...trainingLines(training)].join("\n"));
    return 0;
  }
  const usual = valuesOf({ ...taskFlags, ...playFlags }, {});
  const inner = {
    ...usual,
    ...args,
    timeout: undefined,
    tasks: "runs",
    methods: ["single", ...runs.methods].join(","),
  };
  const { config, stopped, summaries } = await playTaskBench(inner, terminal);
  const { file, kind } = taskRecords(config);
  const directory = resolve(args.run);
  const observations = pairObservations((await readRecords(kind, join(directory, file))).records.values());
  const tasks = new Set(observations.map(({ benchmark }) => benchmark));
  const played = rows.filter(
    (row) => runs.departures.has(row.method ?? "") && boardsOf(row.benchmark).some((name) => tasks.has(name)),
  );
  const cells = reproducedCells(played, observations, ({ method }) => runs.departures.get(method ?? "") ?? []);
  report(args, { directory, model: config.model, cells, training }, "each row's model", terminal);
  return codeOf(stopped, summaries, args, terminal);
}

async function reproduceQuestions(
  args: ReproduceArguments,
  all: readonly LedgerRow[],
  runs: RowRuns,
  terminal: Terminal,
): Promise<number> {
  const isPlan = args["dry-run"];
  const actor = all[0]?.paper === "agentpo" ? await actorOf(args, all) : null;
  const rows = all.filter(({ model, place }) =>
    actor === null ? !place.startsWith("Table") || place.endsWith(args.table) : model === actor,
  );
  const training = rows.filter(({ isTrained, method }) => isTrained && !runs.departures.has(method ?? ""));
  const asked = args.resume ? {} : chosen(rows, runs, args.only);
  const usual = valuesOf({ ...questionFlags, ...playFlags }, {});
  const inner = isPlan || !args.json ? terminal : { ...terminal, result: () => undefined };
  const { only: _, as: __, ...rest } = args;
  const code = await playBench({ ...usual, ...rest, ...asked }, inner);
  if (isPlan) return code;
  const directory = resolve(args.run);
  const config = await readBenchConfig(directory);
  const { records } = await readRecords(questionRecords.kind, join(directory, questionRecords.file));
  const samples = [...records.values()];
  const observations = questionObservations(samples);
  const cells = reproducedCells(
    rows.filter((row) => isPlayed(row, observations)),
    observations,
    (row) => [
      ...questionDepartures(row, config),
      ...(runs.departures.get(row.method ?? "") ?? setDepartures(row, config, samples)),
    ],
  );
  report(args, { directory, model: config.model, cells, training }, actor ?? "gpt-4-1106-preview", terminal);
  return code;
}

function isPlayed({ method, benchmark }: LedgerRow, observations: readonly Observation[]): boolean {
  const boards = boardsOf(benchmark);
  return observations.some(
    (observation) => rowOfMethod(observation.method) === method && boards.includes(observation.benchmark),
  );
}

function questionDepartures({ n }: LedgerRow, { limit }: BenchConfig): string[] {
  return limit === null ? [] : [`Questions differ: at most ${limit} of a benchmark, published ${n ?? "all"}.`];
}

function setDepartures(
  row: LedgerRow,
  { temperature }: BenchConfig,
  samples: Iterable<{ readonly method: string; readonly benchmark: string; readonly differs: readonly string[] }>,
): string[] {
  const boards = boardsOf(row.benchmark);
  const set = [...samples]
    .filter(({ method, benchmark }) => method === row.method && boards.includes(benchmark))
    .flatMap(({ differs }) => differs.filter((text) => /^[\w ]+ differs?:/u.test(text)));
  const isTemperature = (text: string): boolean => row.temperature !== null && text.startsWith("Temperature differs:");
  const ours = temperature === null ? row.ourTemperature : String(temperature);
  const others = [...row.differs, ...set].filter((text) => !isTemperature(text));
  return [...new Set([...others, ...temperatureDiffers(row.temperature, ours)])];
}

async function actorOf(args: ReproduceArguments, rows: readonly LedgerRow[]): Promise<string> {
  const actors = [...new Set(rows.filter(isComparable).map(({ model }) => model))];
  const modelName = args.resume ? (await readBenchConfig(resolve(args.run))).model : (args.model ?? "");
  const actor = args.as ?? agentPoActor(modelName);
  if (actor !== null && actors.includes(actor)) return actor;
  const asked = (args.as ?? modelName) || "no model";
  throw flagError("as", `agentpo has no figures of ${asked}; use one of: ${actors.join(", ")}`);
}

function trainingLines(rows: readonly LedgerRow[]): string[] {
  const lines = [...new Set(rows.flatMap(({ training }) => training ?? []))].map((line) => {
    const of = rows.filter(({ training }) => training === line);
    const play = of[0] ? [`  ${of[0].command}`] : [];
    return [`  ${line}`, ...play, ...of.map(({ row, benchmark, figure }) => `    ${row} on ${benchmark}: ${figure}`)];
  });
  if (lines.length === 0) return [];
  return [
    "These figures need training first. Each training command is followed by the command that plays it, and by its figures:",
    ...lines.flat(),
  ];
}

function chosen(
  rows: readonly LedgerRow[],
  runs: RowRuns,
  only: readonly string[] | undefined,
): Pick<BenchArguments, "benchmarks" | "methods" | "cells" | "model"> {
  const than = ({ comparison }: LedgerRow): string[] =>
    comparison.kind === "claims" ? comparison.claims.flatMap((claim) => claim.than ?? []) : [];
  const trained = new Map(runs.methods.map((text) => [text.slice(0, text.indexOf("=")), text]));
  const formsOf = (row: string): string[] => [...trained.keys()].filter((name) => rowOfMethod(name) === row);
  const untrained = new Set(rows.flatMap(({ method, isTrained }) => (method === null || isTrained ? [] : [method])));
  const playable = rows.flatMap((row) =>
    [row.method ?? "", ...than(row)].flatMap((name) =>
      (untrained.has(name) ? [name] : formsOf(name)).flatMap((method) =>
        boardsOf(row.benchmark).map((benchmark) => ({ method, benchmark })),
      ),
    ),
  );
  const isNamed = (word: string, { method, benchmark }: (typeof playable)[number]): boolean =>
    [rowOfMethod(method), `/${benchmark}`, benchmark, `${rowOfMethod(method)}/${benchmark}`].includes(word);
  const names = (key: "method" | "benchmark", of = playable): string[] => [...new Set(of.map((cell) => cell[key]))];
  const unknown = only?.find((word) => !playable.some((cell) => isNamed(word, cell)));
  if (unknown !== undefined || playable.length === 0) {
    const knownNames = `rows ${names("method").join(", ")}; columns ${names("benchmark").join(", ")}`;
    throw flagError("only", `${unknown ?? "the rows"} not found; ${knownNames}; trained rows need --run-of ROW=RUN`);
  }
  const picked = playable.filter((cell) => only?.some((word) => isNamed(word, cell)) ?? true);
  const [methods, benchmarks] = [names("method", picked), names("benchmark", picked)];
  const cells = [...new Set(picked.map(({ method, benchmark }) => `${method}/${benchmark}`))];
  return {
    benchmarks: benchmarks.join(","),
    methods: methods.map((name) => trained.get(name) ?? name).join(","),
    ...(cells.length < methods.length * benchmarks.length && { cells }),
    // Trained teams bring their models.
    ...(methods.every((name) => trained.has(name)) && { model: "none" }),
  };
}

interface Outcome {
  readonly directory: string;
  readonly model: string;
  readonly cells: readonly ReproducedCell[];
  readonly training: readonly LedgerRow[];
}

function report(args: ReproduceArguments, outcome: Outcome, published: string, terminal: Terminal): void {
  const { cells, model, training } = outcome;
  printResult(terminal, args.json, outcome, () =>
    [...linesOf(cells, model, published), "", ...trainingLines(training)].join("\n").trimEnd(),
  );
}

function linesOf(cells: readonly ReproducedCell[], played: string, published: string): string[] {
  const shown = (quantity: string, value: number): string => {
    if (/, ratio/u.test(quantity)) return formatNumber(value);
    return /^(tokens|seconds)/u.test(quantity) ? formatCount(Math.round(value)) : formatShare(value);
  };
  const lines = cells.map(({ benchmark, row, quantity, ours, runs, scored, p, verdict, reason, ...cell }) => {
    const { low = null, high = null } = ours ?? {};
    const range = low === null || high === null ? "" : ` (${shown(quantity, low)} to ${shown(quantity, high)})`;
    const seeds = runs > 1 ? `, ${runs} seeds` : "";
    const text = ours ? `${shown(quantity, ours.value)}${range}, n ${scored}${seeds}` : "none";
    const test = p === null ? "" : `  p ${formatNumber(p)}`;
    const faithful = cell.differs.length === 0 ? "" : ", not as published";
    const result = reason === null ? `${verdict}${faithful}` : `${verdict}: ${reason}`;
    return `${benchmark}  ${row}  ${quantity}  ours ${text}  paper ${cell.published}${test}  ${result}`;
  });
  const departures = departureLines(cells);
  const sources = departureLines(cells.map((cell) => ({ ...cell, differs: [`Taken by ${cell.takenBy}.`, cell.open] })));
  return [
    `Against the paper, whose model is ${published}; here it is ${played}. Two-sided at 5 %: shares by the score test, or Fisher's exact test of all questions; statements by our 95 % interval.`,
    ...lines,
    ...(departures.length > 0 ? ["", "Departures from the published setting:", ...departures] : []),
    "",
    "Sources of the figures, and what they leave open:",
    ...sources,
  ];
}
