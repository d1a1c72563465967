import { baselines } from "@laconic/baselines";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BenchConfig, methodNames, readBenchConfig, samplesFile, setNames, methodSpec } from "./bench-config.ts";
import { notesOf, type SpentCalls, spentNote } from "./bench-notes.ts";
import { readCalibrations, describeSeen, readSeen, readSkipped } from "./bench-folder.ts";
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
import { readRecords } from "../record-file.ts";
import type { SampleRecord } from "../sample-record.ts";
import { type MethodSummary, summarise } from "../results/summary.ts";

/** What a report takes beside the bench's directory. */
export interface ReportSources {
  readonly spent: SpentCalls | null;
  /** The model that answers in a run's team; null where it is not known. */
  actorOf(run: string): Promise<string | null>;
}

/** What a bench came to, and the files that say so. */
export interface BenchReport {
  readonly summaries: readonly MethodSummary[];
  readonly markdown: string;
  readonly files: readonly string[];
}

/** Writes a bench's tables beside its samples: Markdown, CSV, LaTeX. */
export async function writeBenchReport(directory: string, sources: ReportSources): Promise<BenchReport> {
  const config = await readBenchConfig(directory);
  const { records } = await readRecords(join(directory, samplesFile));
  const sorted = sortedBy(config, [...records.values()]);
  const summaries = summarise(sorted);
  const titleOf = titlesOf(config);
  const calibrations = await readCalibrations(directory);
  const within = (setting: MethodSummary["setting"]): MethodSummary[] =>
    summaries.filter((each) => each.setting === setting);
  const main = within("whole");
  const apart = within("dealt");
  const actorOf = await actorsOf(config, sources);
  const tablesOf = (of: readonly MethodSummary[]): Table[] => [
    accuracyTable(of, titleOf),
    ...[scoreTable(of, titleOf)].filter((table) => table !== null),
    tokenTable(of, titleOf, calibrations),
    differenceTable(of, titleOf),
    ...[agentPoTable(of, titleOf, actorOf), departureTable(of, titleOf)].filter((table) => table !== null),
  ];
  const tables = [
    ...(main.length > 0 || apart.length === 0 ? tablesOf(main) : []),
    ...(apart.length > 0 ? tablesOf(apart) : []).map((table) => ({
      ...table,
      title: `${table.title}; dealt among the agents`,
    })),
    ...[repeatTable(sorted, titleOf), equalTokensTable(summaries, titleOf), modelTable(summaries, titleOf)].filter(
      (table) => table !== null,
    ),
  ];
  const heading = `${config.model} on ${setNames(config).join(", ")}`;
  const notes = [
    ...describeSeen(await readSeen(directory)),
    ...notesOf(config, summaries, await readSkipped(directory)),
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
    "tables.tex": `${tables.map((table) => latexOf(table)).join("\n\n")}\n`,
  };
  for (const [name, text] of Object.entries(contents)) await writeFile(join(directory, name), text);
  return { summaries, markdown, files: Object.keys(contents).map((name) => join(directory, name)) };
}

function sortedBy(config: BenchConfig, records: readonly SampleRecord[]): SampleRecord[] {
  const methods = methodNames(config);
  const sets = setNames(config);
  // A single agent of equal tokens stands where its method does.
  const order = (list: readonly string[], name: string): number => list.indexOf(name.split("@")[0] ?? name);
  const teamOrder = ({ equalTo }: SampleRecord): number => (equalTo ? order(methods, equalTo.method) : 0);
  return records.toSorted(
    (a, b) =>
      order(sets, a.benchmark) - order(sets, b.benchmark) ||
      order(methods, a.method) - order(methods, b.method) ||
      // By team: which sample came first is chance.
      teamOrder(a) - teamOrder(b) ||
      a.method.localeCompare(b.method),
  );
}

/** The model that answers in each method: the bench's, or the actor of the run whose team it is. */
async function actorsOf(
  { methods, model }: BenchConfig,
  sources: ReportSources,
): Promise<(method: string) => string | null> {
  const actors = new Map<string, string | null>();
  for (const { name, run } of methods.map((method) => methodSpec(method)))
    actors.set(name, run === null ? model : await sources.actorOf(run));
  return (method) => actors.get(method) ?? null;
}

/** What a row of the bench is called: a trained team by its own name, whatever method has it too. */
function titlesOf({ methods, own }: BenchConfig): (method: string) => string {
  const specs = methods.map((method) => methodSpec(method));
  const trained = new Set([
    ...specs.filter(({ run }) => run !== null).map(({ name }) => name),
    ...own.methods.map(({ name }) => name),
  ]);
  const titleOf = (name: string): string =>
    trained.has(name) ? name : (baselines.find((each) => each.name === name)?.title ?? name);
  return (method) => {
    const [form = method, team] = method.split("@");
    if (team === undefined || trained.has(method)) return titleOf(method);
    const [name = team, setting] = team.split("/");
    return `${titleOf(form)}, as ${titleOf(name)}${setting === undefined ? "" : " (dealt)"}`;
  };
}

/** Writes the tables of teams on tasks beside their samples: Markdown and CSV. */
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
  const markdown = tables.map((table) => markdownOf(table)).join("\n\n");
  await writeFile(join(directory, "report.md"), `${markdown}\n`);
  await writeFile(join(directory, "tables.csv"), `${tables.map((table) => csvOf(table)).join("\n\n")}\n`);
  return { summaries, markdown };
}
