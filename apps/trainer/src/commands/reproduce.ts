import { resolve } from "node:path";
import { benchmarkNamed } from "@laconic/benchmarks";
import { LaconicError } from "@laconic/core";
import { playedTable, reproducedCells, type ReproducedCell } from "@laconic/evaluation/reproduction";
import { writeBench } from "@laconic/report";
import { runCommand, type CommandDef } from "citty";
import { playFlags, questionFlags } from "../bench/bench-flags.ts";
import { command, type ExitCode } from "../cli/command.ts";
import { jsonFlag } from "../cli/flags.ts";
import { printResult } from "../cli/terminal.ts";
import { spendingFlags } from "../run/spending.ts";
import { benchCommand } from "./bench.ts";
import type { CommandContext } from "./common.ts";

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
  "dry-run": dryRun,
  offline: { type: "boolean", description: "Download no data" },
  ...jsonFlag,
} as const;

/** Plays what a published table prints and can be played without training, and tests each cell against it. */
export function reproduceCommand(context: CommandContext, exit: ExitCode): CommandDef {
  const { terminal } = context;
  return command(
    {
      name: "reproduce",
      args: {
        paper: {
          type: "positional" as const,
          required: true,
          description: "agent-gspo: the paper whose tables can be played without training",
        },
        table: {
          type: "enum" as const,
          description: "1: accuracy; 2: MMLU and GSM8K",
          options: ["1", "2"],
          default: "1",
        },
        only: { type: "string" as const, description: "One cell, METHOD/BENCHMARK", valueHint: "cell" },
        ...shared,
      },
      run: async (args) => {
        const { paper, table, only, json } = args;
        if (paper !== "agent-gspo")
          throw new LaconicError(
            "config_invalid",
            `${paper}: only agent-gspo has tables that can be played without training; docs/reproduce has the others`,
            { key: "paper" },
          );
        const { benchmarks, methods } = chosen(playedTable(table === "2" ? "2" : "1"), only || undefined);
        const asked = args.resume ? [] : ["--benchmarks", benchmarks.join(","), "--methods", methods.join(",")];
        const bench: ExitCode = { value: 0 };
        const planned = args["dry-run"] === true;
        const inner = planned || !json ? terminal : { ...terminal, result: () => undefined };
        await runCommand(benchCommand({ ...context, terminal: inner }, bench), { rawArgs: [...asked, ...given(args)] });
        if (planned) return bench.value;
        const directory = resolve(args.run);
        const { summaries } = await writeBench(directory);
        const cells = reproducedCells(summaries, (name) => questionsOf(name));
        printResult(terminal, json, { directory, cells }, () => linesOf(cells).join("\n"));
        return bench.value;
      },
    },
    exit,
  );
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
function linesOf(cells: readonly ReproducedCell[]): string[] {
  const percent = (share: number): string => (100 * share).toFixed(1);
  return [
    "Against the paper: shares of as many questions as each has, two-sided at 5 %.",
    ...cells.map(({ benchmark, method, ours, scored, published, p, verdict, differs }) => {
      const own = ours ? `${percent(ours.value)} (${percent(ours.low)} to ${percent(ours.high)}), n ${scored}` : "none";
      const why = verdict === "not as published" ? `: ${differs.join(" ")}` : "";
      return `${benchmark}  ${method}  ours ${own}  paper ${published}  p ${p === null ? "-" : p.toFixed(3)}  ${verdict}${why}`;
    }),
  ];
}
