import { choiceFlag, grouped, positional, textFlag, toggle } from "../cli/arguments.ts";
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
import { command, valuesOf, type Command } from "../cli/command.ts";
import { jsonFlag, trustFlag } from "../cli/flags.ts";
import { printResult } from "../cli/terminal.ts";
import { spendingFlags } from "../run/spending.ts";
import { playBench } from "./bench.ts";

/** Flags shared with `bench`. */
const benchFlags = {
  model: playFlags.model,
  "base-url": playFlags["base-url"],
  ...spendingFlags,
  limit: playFlags.limit,
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

/** Plays a published table without training and tests each cell. Lists the parts that need training. */
export const reproduceCommand: Command = command({
  description: "Reproduce a paper's table and compare each cell with the published figure",
  examples: ["laconic reproduce agent-gspo --table 2 --model gpt-4o-mini --dry-run"],
  args: {
    paper: positional("agent-gspo, agentpo or magrpo"),
    ...grouped("Input", {
      table: choiceFlag("Table of agent-gspo: accuracy (1), or tokens too (2)", ["1", "2"], "1"),
      only: textFlag("One METHOD, or one cell METHOD/BENCHMARK", "cell"),
      as: textFlag("Actor of agentpo's rows (default: the model)", "actor"),
    }),
    ...benchFlags,
  },
  run: async (args, { terminal }) => {
    const { table, json, "dry-run": isPlan } = args;
    const paper = papers.find((name) => name === args.paper);
    if (paper === undefined)
      throw new LaconicError("config_invalid", `PAPER: unknown paper ${args.paper}; use one of: ${papers.join(", ")}`, {
        key: "paper",
      });
    const training = trainedRows(paper, table);
    if (paper === "magrpo") {
      printResult(terminal, json, { training }, () => trainingLines(training));
      return 0;
    }
    const actor = paper === "agentpo" ? await actorOf(args) : null;
    const { benchmarks, methods } = chosen(actor === null ? playedTable(table) : agentPoTable(actor), args.only);
    const asked = args.resume ? {} : { benchmarks: benchmarks.join(","), methods: methods.join(",") };
    const usual = valuesOf({ ...questionFlags, ...playFlags }, {});
    const inner = isPlan || !json ? terminal : { ...terminal, result: () => undefined };
    const code = await playBench({ ...usual, ...args, ...asked }, inner);
    if (isPlan) return code;
    const directory = resolve(args.run);
    const { summaries } = await writeBench(directory);
    const cells =
      actor === null
        ? reproducedCells(summaries, questionsOf, table)
        : reproducedAverages(summaries, actor, questionsOf);
    const { model: played } = await readBenchConfig(directory);
    printResult(terminal, json, { directory, model: played, cells, training }, () =>
      [...linesOf(cells, played, actor ?? "gpt-4-1106-preview"), "", trainingLines(training)].join("\n"),
    );
    return code;
  },
});

/** @throws LaconicError `config_invalid` without rows of this model or `--as` */
async function actorOf(args: {
  readonly as: string | undefined;
  readonly model?: string | undefined;
  readonly resume: boolean;
  readonly run: string;
}): Promise<string> {
  const known = [
    ...new Set(reproductionLedger().flatMap(({ paper, model: name }) => (paper === "agentpo" ? name : []))),
  ];
  const actors = known.filter((name) => agentPoTable(name).methods.length > 0);
  const own = args.resume ? (await readBenchConfig(resolve(args.run))).model : (args.model ?? "");
  const actor = args.as || agentPoActor(own);
  if (actor && actors.includes(actor)) return actor;
  throw new LaconicError(
    "config_invalid",
    `--as: agentpo has no figures of ${args.as || own}; use one of: ${actors.join(", ")}`,
    { key: "as" },
  );
}

/** Rows of a table that need training. */
function trainedRows(paper: LedgerRow["paper"], table: string): LedgerRow[] {
  const rows = reproductionLedger().filter(
    (row) => row.paper === paper && row.method === null && row.command !== "none",
  );
  return paper === "agent-gspo"
    ? rows.filter(({ place }) => !place.startsWith("Table") || place.endsWith(table))
    : rows;
}

/** Training commands with their figures. */
function trainingLines(rows: readonly LedgerRow[]): string {
  const lines = [...new Set(rows.map((row) => row.command))].map((line) => {
    const of = rows.filter((row) => row.command === line);
    return [`  ${line}`, ...of.map(({ row, benchmark, figure }) => `    ${row} on ${benchmark}: ${figure}`)].join("\n");
  });
  return ["These figures need training first; each command stands above its figures:", ...lines].join("\n");
}

type Table = ReturnType<typeof playedTable>;

/** @throws LaconicError `config_invalid` for an unknown cell */
function chosen(table: Table, only: string | undefined): Table {
  if (only === undefined) return table;
  if (table.methods.includes(only)) return { ...table, methods: [only] };
  const at = only.lastIndexOf("/");
  const [method, benchmark] = [only.slice(0, at), only.slice(at + 1)];
  if (table.methods.includes(method) && table.benchmarks.includes(benchmark))
    return { methods: [method], benchmarks: [benchmark] };
  const known = `methods ${table.methods.join(", ")}; benchmarks ${table.benchmarks.join(", ")}`;
  throw new LaconicError("config_invalid", `--only: cell ${only} not found; ${known}`, { flag: "only" });
}

function questionsOf(name: string): number {
  const { defaultSplit, splits } = benchmarkNamed(name);
  return splits[defaultSplit]?.rows ?? 1;
}

/** A line per cell: our value with interval, the paper's, and the test. */
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
