import { formatCount, formatNumber, formatShare } from "@laconic/core/text";
import { resolve } from "node:path";
import { benchmarkNamed } from "@laconic/benchmarks";
import { LaconicError } from "@laconic/core";
import {
  agentPoActor,
  agentPoTable,
  playedTable,
  reproducedAverages,
  reproducedCells,
  reproductionLedger,
  type LedgerRow,
  type ReproducedCell,
} from "@laconic/evaluation/reproduction";
import { readBenchConfig } from "@laconic/evaluation/bench";
import { writeBench } from "@laconic/view/report";
import { playFlags, questionFlags } from "../bench/bench-flags.ts";
import { command, runCommand, type Command } from "../cli/command.ts";
import { jsonFlag, trustFlag } from "../cli/flags.ts";
import { printResult } from "../cli/terminal.ts";
import { spendingFlags } from "../run/spending.ts";
import { benchCommand } from "./bench.ts";

const { model, limit, seed, concurrency, run, resume, "base-url": baseUrl } = playFlags;
const { folder, "dry-run": dryRun } = questionFlags;

/** Flags that `bench` takes alike. */
const shared = {
  model,
  "base-url": baseUrl,
  ...spendingFlags,
  limit,
  seed,
  concurrency,
  folder,
  run,
  resume,
  ...trustFlag,
  "dry-run": dryRun,
  offline: { type: "boolean", description: "Download no data" },
  ...jsonFlag,
} as const;

const papers = ["agent-gspo", "agentpo", "magrpo"] as const;

/** Plays what a published table prints and can be played without training, tests each cell against it, and names what has to be trained. */
export const reproduceCommand: Command = command({
  description: "Play a paper's table and test every cell against the published figure",
  args: {
    paper: {
      type: "positional" as const,
      description: "agent-gspo, agentpo or magrpo",
    },
    table: {
      type: "enum" as const,
      description: "Of agent-gspo. 1: accuracy; 2: MMLU and GSM8K, with tokens",
      options: ["1", "2"],
      default: "1",
    },
    only: { type: "string" as const, description: "One cell, METHOD/BENCHMARK, or a METHOD", valueHint: "cell" },
    as: {
      type: "string" as const,
      description: "Of agentpo: the paper's actor whose rows are compared, by default the model's own",
      valueHint: "actor",
    },
    ...shared,
  },
  run: async (args, { terminal }) => {
    const { table, json } = args;
    const paper = paperOf(args.paper);
    const training = trainedRows(paper, table);
    if (paper === "magrpo") {
      printResult(terminal, json, { training }, () => trainingLines(training));
      return 0;
    }
    const actor =
      paper === "agentpo" ? await actorOf({ ...args, as: args.as, model: args.model, resume: args.resume }) : null;
    const all = actor === null ? playedTable(table === "2" ? "2" : "1") : agentPoTable(actor);
    const { benchmarks, methods } = chosen(all, args.only || undefined);
    const asked = args.resume ? [] : ["--benchmarks", benchmarks.join(","), "--methods", methods.join(",")];
    const planned = args["dry-run"] === true;
    const inner = planned || !json ? terminal : { ...terminal, result: () => undefined };
    const code = await runCommand("bench", benchCommand, [...asked, ...given(args)], inner);
    if (planned) return code;
    const directory = resolve(args.run);
    const { summaries } = await writeBench(directory);
    const cells =
      actor === null
        ? reproducedCells(summaries, (name) => questionsOf(name), table === "2" ? "2" : "1")
        : reproducedAverages(summaries, actor, (name) => questionsOf(name));
    const { model: played } = await readBenchConfig(directory);
    printResult(terminal, json, { directory, model: played, cells, training }, () =>
      [...linesOf(cells, played, actor ?? "gpt-4-1106-preview"), "", trainingLines(training)].join("\n"),
    );
    return code;
  },
});

/** @throws LaconicError `config_invalid` for another paper */
function paperOf(name: string): (typeof papers)[number] {
  const paper = papers.find((each) => each === name);
  if (paper) return paper;
  throw new LaconicError("config_invalid", `${name}: there are ${papers.join(", ")}`, { key: "paper" });
}

interface ActorArguments {
  readonly as: string | undefined;
  readonly model: string | undefined;
  readonly resume: boolean | undefined;
  readonly run: string;
}

/** @throws LaconicError `config_invalid` where the paper has no rows of this model, and none are named */
async function actorOf(args: ActorArguments): Promise<string> {
  const known = [
    ...new Set(reproductionLedger().flatMap(({ paper, model: name }) => (paper === "agentpo" ? name : []))),
  ];
  const actors = known.filter((name) => agentPoTable(name).methods.length > 0);
  const own = args.resume ? (await readBenchConfig(resolve(args.run))).model : (args.model ?? "");
  const actor = args.as || agentPoActor(own);
  if (actor && actors.includes(actor)) return actor;
  throw new LaconicError(
    "config_invalid",
    `agentpo has figures of ${actors.join(", ")}, not of ${args.as || own}: name one of them with --as`,
    { key: "as" },
  );
}

/** Rows of a table that a bench of questions does not play. */
function trainedRows(paper: LedgerRow["paper"], table: string): LedgerRow[] {
  const rows = reproductionLedger().filter(
    (row) => row.paper === paper && row.method === null && row.command !== "none",
  );
  return paper === "agent-gspo"
    ? rows.filter(({ place }) => !place.startsWith("Table") || place.endsWith(table))
    : rows;
}

/** What has to be trained first, a line a command. */
function trainingLines(rows: readonly LedgerRow[]): string {
  const lines = [...new Set(rows.map((row) => row.command))].map((line) => {
    const of = rows.filter((row) => row.command === line);
    return [`  ${line}`, ...of.map(({ row, benchmark, figure }) => `    ${row} on ${benchmark}: ${figure}`)].join("\n");
  });
  return ["These figures need training first, by the command above them:", ...lines].join("\n");
}

/** The shared flags as words, those alone that were given. */
function given(args: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(shared).flatMap((flag) => {
    const value = args[flag];
    if (typeof value === "string" && value !== "") return [`--${flag}=${value}`];
    return value === true ? [`--${flag}`] : [];
  });
}

type Table = ReturnType<typeof playedTable>;

/** @throws LaconicError `config_invalid` for a cell that the table has not */
function chosen(table: Table, only: string | undefined): Table {
  if (only === undefined) return table;
  if (table.methods.includes(only)) return { ...table, methods: [only] };
  const at = only.lastIndexOf("/");
  const [method, benchmark] = [only.slice(0, at), only.slice(at + 1)];
  if (table.methods.includes(method) && table.benchmarks.includes(benchmark))
    return { methods: [method], benchmarks: [benchmark] };
  const known = `methods ${table.methods.join(", ")}; benchmarks ${table.benchmarks.join(", ")}`;
  throw new LaconicError("config_invalid", `--only ${only}: the table has no such cell; ${known}`, { flag: "only" });
}

function questionsOf(name: string): number {
  const { defaultSplit, splits } = benchmarkNamed(name);
  return splits[defaultSplit]?.rows ?? 1;
}

/** A line a cell: ours with its interval, the paper's, the test. */
function linesOf(cells: readonly ReproducedCell[], played: string, published: string): string[] {
  return [
    `Against the paper, whose model is ${published}; here it is ${played}. Shares of as many questions as each has, two-sided at 5 %.`,
    ...cells.map(({ benchmark, method, unit, ours, scored, published: figure, p, verdict, differs }) => {
      const shown = (value: number): string => (unit === "%" ? formatShare(value) : formatCount(Math.round(value)));
      const { low = null, high = null } = ours ?? {};
      const range = low === null || high === null ? "" : ` (${shown(low)} to ${shown(high)})`;
      const own = ours ? `${shown(ours.value)}${range}, n ${scored}` : "none";
      const theirs = unit === "%" ? String(figure) : formatCount(Math.round(figure));
      const why = verdict === "not as published" ? `: ${differs.join(" ")}` : "";
      return `${benchmark}  ${method}  ${unit}  ours ${own}  paper ${theirs}  p ${formatNumber(p)}  ${verdict}${why}`;
    }),
  ];
}
