import { baselines } from "@laconic/baselines";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { benchFiles } from "@laconic/core/run-folder";
import { type BenchConfig, methodNames, readBenchConfig, setNames, methodSpec } from "./bench-config.ts";
import { notesOf, type SpentCalls, spentNote } from "./bench-notes.ts";
import { describeSeen, readCalibrations, seenFile, skippedFile } from "./bench-folder.ts";
import {
  equalTokensTable,
  modelTable,
  accuracyTable,
  scoreTable,
  agentPoTable,
  departureTable,
  differenceTable,
  tokenTable,
} from "../results/tables.ts";
import { csvOf, latexOf, markdownOf, type Table } from "../results/table.ts";
import type { PairRecord } from "../pairs/run-pairs.ts";
import { type PairSummary, pairTables, summarisePairs } from "../pairs/pair-tables.ts";
import { repeatTable } from "../results/repeat-table.ts";
import { readRecords, sampleRecords } from "../record-file.ts";
import type { SampleRecord } from "../sample-record.ts";
import { type MethodSummary, summarise } from "../results/summary.ts";

/** Results and written files. */
export interface BenchReport {
  readonly summaries: readonly MethodSummary[];
  readonly markdown: string;
  readonly files: readonly string[];
}

/** Writes a bench's tables as Markdown, CSV and LaTeX. @param sources - `actorOf`: answering model of a run */
export async function writeBenchReport(
  directory: string,
  sources: { readonly spent: SpentCalls | null; actorOf(run: string): Promise<string | null> },
): Promise<BenchReport> {
  const config = await readBenchConfig(directory);
  const { records } = await readRecords(sampleRecords, join(directory, benchFiles.samples));
  const sorted = sortedBy(config, [...records.values()]);
  const summaries = summarise(sorted);
  const titleOf = titlesOf(config);
  const calibrations = await readCalibrations(directory);
  const main = summaries.filter(({ setting }) => setting === "whole");
  const apart = summaries.filter(({ setting }) => setting === "dealt");
  const actors = new Map<string, string | null>();
  for (const { name, run } of config.methods.map(methodSpec))
    actors.set(name, run === null ? config.model : await sources.actorOf(run));
  const actorOf = (method: string): string | null => actors.get(method) ?? null;
  const present = (tables: readonly (Table | null)[]): Table[] => tables.filter((table) => table !== null);
  const tablesOf = (of: readonly MethodSummary[]): Table[] =>
    present([
      accuracyTable(of, titleOf),
      scoreTable(of, titleOf),
      tokenTable(of, titleOf, calibrations),
      differenceTable(of, titleOf),
      agentPoTable(of, titleOf, actorOf),
      departureTable(of, titleOf),
    ]);
  const dealt = apart.length > 0 ? tablesOf(apart) : [];
  const tables = [
    ...(main.length > 0 || apart.length === 0 ? tablesOf(main) : []),
    ...dealt.map((table) => ({ ...table, title: `${table.title}; dealt among the agents` })),
    ...present([repeatTable(sorted, titleOf), equalTokensTable(summaries, titleOf), modelTable(summaries, titleOf)]),
  ];
  const heading = `${config.model} on ${setNames(config).join(", ")}`;
  const notes = [
    ...describeSeen(await seenFile.read(directory)),
    ...notesOf(config, summaries, await skippedFile.read(directory)),
    ...spentNote(sources.spent, config),
  ];
  const markdown = [
    `# ${heading}`,
    "",
    ...notes.map((note) => `- ${note}`),
    "",
    ...tables.flatMap((table) => [markdownOf(table), ""]),
  ].join("\n");
  const contents: Readonly<Record<string, string>> = {
    "report.md": `${markdown}\n`,
    "accuracy.csv": `${csvOf(accuracyTable(main, titleOf))}\n`,
    "tokens.csv": `${csvOf(tokenTable(main, titleOf, calibrations))}\n`,
    ...(apart.length > 0 && {
      "accuracy-dealt.csv": `${csvOf(accuracyTable(apart, titleOf))}\n`,
      "tokens-dealt.csv": `${csvOf(tokenTable(apart, titleOf, calibrations))}\n`,
    }),
    "tables.tex": `${tables.map(latexOf).join("\n\n")}\n`,
  };
  for (const [name, text] of Object.entries(contents)) await writeFile(join(directory, name), text);
  return { summaries, markdown, files: Object.keys(contents).map((name) => join(directory, name)) };
}

function sortedBy(config: BenchConfig, records: readonly SampleRecord[]): SampleRecord[] {
  const methods = methodNames(config);
  const sets = setNames(config);
  // Equal-token agents follow their method.
  const order = (list: readonly string[], name: string) => list.indexOf(name.split("@")[0] ?? name);
  const teamOrder = ({ equalTo }: SampleRecord) => (equalTo ? order(methods, equalTo.method) : 0);
  return records.toSorted(
    (a, b) =>
      order(sets, a.benchmark) - order(sets, b.benchmark) ||
      order(methods, a.method) - order(methods, b.method) ||
      // The order of samples is random.
      teamOrder(a) - teamOrder(b) ||
      a.method.localeCompare(b.method),
  );
}

function titlesOf({ methods, own }: BenchConfig): (method: string) => string {
  const specs = methods.map(methodSpec);
  const trained = new Set([
    ...specs.filter(({ run }) => run !== null).map(({ name }) => name),
    ...own.methods.map(({ name }) => name),
  ]);
  const titleOf = (name: string) =>
    trained.has(name) ? name : (baselines.find((method) => method.name === name)?.title ?? name);
  return (method) => {
    const [form = method, team] = method.split("@");
    if (team === undefined || trained.has(method)) return titleOf(method);
    const [name = team, setting] = team.split("/");
    return `${titleOf(form)}, as ${titleOf(name)}${setting === undefined ? "" : " (dealt)"}`;
  };
}

/** Writes the tables of teams on tasks as Markdown and CSV. */
export async function writePairReport(
  directory: string,
  records: Iterable<PairRecord>,
  order: { readonly tasks: readonly string[]; readonly methods: readonly string[] },
): Promise<{ readonly summaries: readonly PairSummary[]; readonly markdown: string }> {
  const { tasks, methods } = order;
  const sorted = [...records].toSorted(
    (a, b) => tasks.indexOf(a.task) - tasks.indexOf(b.task) || methods.indexOf(a.method) - methods.indexOf(b.method),
  );
  const summaries = summarisePairs(sorted);
  const tables = pairTables(summaries);
  const markdown = tables.map(markdownOf).join("\n\n");
  await writeFile(join(directory, "report.md"), `${markdown}\n`);
  await writeFile(join(directory, "tables.csv"), `${tables.map(csvOf).join("\n\n")}\n`);
  return { summaries, markdown };
}
