import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { baselines, promptVersion } from "@laconic/baselines";
import { benchmarkNamed } from "@laconic/benchmarks";
import {
  accuracyTable,
  agentPoSource,
  agentPoTable,
  csvOf,
  departureTable,
  differenceTable,
  equalTokensTable,
  latexOf,
  markdownOf,
  modelTable,
  publishedSource,
  readRecords,
  summarise,
  tokenTable,
  type MethodSummary,
  type SampleRecord,
  type Table,
  type Unpartitioned,
} from "@laconic/evaluation";
import type { JournalTotals } from "@laconic/openai";
import { benchPage } from "./bench-page.ts";
import { readCalibrations } from "./calibration-file.ts";
import { methodNames, readBenchConfig, samplesFile, setNames, type BenchConfig } from "./bench-settings.ts";
import { readSpent } from "@laconic/runtime/spending";
import { readSkipped, describeSkipped } from "./left-out-file.ts";
import { methodSpec } from "./method-spec.ts";
import { loadPlot } from "../report/chart/plot-library.ts";
import { configOfRun } from "@laconic/runtime";
import { describeOwn } from "./own-values.ts";

/** What a bench came to, and the files that say so. */
export interface BenchReport {
  readonly summaries: readonly MethodSummary[];
  readonly markdown: string;
  readonly files: readonly string[];
}

/** Writes a bench's tables beside its samples: Markdown, HTML, CSV, LaTeX. */
export async function writeBenchReport(directory: string): Promise<BenchReport> {
  const config = await readBenchConfig(directory);
  const { records } = await readRecords(join(directory, samplesFile));
  const methods = methodNames(config);
  // A single agent of equal tokens stands where its method does.
  const order = (list: readonly string[], name: string): number => list.indexOf(name.split("@")[0] ?? name);
  const teamOrder = ({ equalTo }: SampleRecord): number => (equalTo ? order(methods, equalTo.method) : 0);
  const sorted = [...records.values()].toSorted(
    (a, b) =>
      order(setNames(config), a.benchmark) - order(setNames(config), b.benchmark) ||
      order(methods, a.method) - order(methods, b.method) ||
      // By team: which sample came first is chance.
      teamOrder(a) - teamOrder(b) ||
      a.method.localeCompare(b.method),
  );
  const summaries = summarise(sorted);
  const titleOf = titlesOf(config);
  const calibrations = await readCalibrations(directory);
  const actorOf = await actorsOf(config);
  const tablesOf = (of: readonly MethodSummary[]): Table[] => [
    accuracyTable(of, titleOf),
    tokenTable(of, titleOf, calibrations),
    differenceTable(of, titleOf),
    ...[agentPoTable(of, titleOf, actorOf), departureTable(of, titleOf)].filter((table) => table !== null),
  ];
  const within = (setting: MethodSummary["setting"]): MethodSummary[] =>
    summaries.filter((each) => each.setting === setting);
  const [main, apart] = [within("whole"), within("dealt")];
  const tables = [
    ...(main.length > 0 || apart.length === 0 ? tablesOf(main) : []),
    ...(apart.length > 0 ? tablesOf(apart) : []).map((table) => ({
      ...table,
      title: `${table.title}; dealt among the agents`,
    })),
    ...[equalTokensTable(summaries, titleOf), modelTable(summaries, titleOf)].filter((table) => table !== null),
  ];
  const heading = `${config.model} on ${setNames(config).join(", ")}`;
  const notes = [
    ...notesOf(config, summaries, await readSkipped(directory)),
    ...spentNote(await readSpent(directory), config),
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
    "report.html": benchPage(await loadPlot(), { heading, notes, tables, summaries }),
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

/** The model that answers in each method: the bench's, or the actor of the run whose team it is. */
async function actorsOf({ methods, model }: BenchConfig): Promise<(method: string) => string | null> {
  const actors = new Map<string, string | null>();
  for (const { name, run } of methods.map((method) => methodSpec(method))) {
    const config = run === null ? null : await configOfRun(resolve(run)).catch(() => null);
    const actor = config?.actor ?? (config && { model: config.model });
    actors.set(name, run === null ? model : actor && "model" in actor ? actor.model : null);
  }
  return (method) => actors.get(method) ?? null;
}

function notesOf(
  config: BenchConfig,
  summaries: readonly MethodSummary[],
  skipped: readonly Unpartitioned[],
): string[] {
  const failed = summaries.filter(({ scored, samples }) => scored < samples);
  const retried = summaries.filter(
    ({ accuracy, firstAttemptAccuracy }) =>
      accuracy && firstAttemptAccuracy !== null && Math.abs(accuracy.value - firstAttemptAccuracy) > 1e-9,
  );
  const temperature = config.temperature === null ? "of each method's paper" : String(config.temperature);
  return [
    `Model ${config.model} at ${new URL(config.baseUrl).origin}; temperature ${temperature}; at most ${config.maxTokens ?? "its protocol's ceiling of"} tokens a reply; seed ${config.seed}; ${config.repeats} repeat${config.repeats === 1 ? "" : "s"}; prompts ${promptVersion}; examples ${config.shots ?? "of each method's paper"}.`,
    ...(config.judge
      ? [
          `Free answers are judged by ${config.judge.model} at ${new URL(config.judge.baseUrl).origin}, which is shown question and gold: a model's word, whose agreement with labels \`laconic judge\` measures.`,
        ]
      : []),
    `Questions: ${setNames(config)
      .map(
        (name) =>
          `${name} ${summaries.find(({ benchmark }) => benchmark === name)?.questions ?? 0} of ${totalOf(name, config)}`,
      )
      .join(", ")}.`,
    "Intervals are 95 %: Wilson's for a share, the bootstrap over questions for differences. Tokens are prompt and completion together unless a column says otherwise. Costs are of samples with a score and of calibration; what failed attempts cost is not in them.",
    ...protocolNote(summaries),
    `Published figures, beside methods that are played as published and no others: ${publishedSource}; ${agentPoSource}. Another model, other prompts, another tokenizer: they are beside ours, not comparable with them.`,
    ...config.methods
      .map((method) => methodSpec(method))
      .filter(({ run }) => run !== null)
      .map(
        ({ name, run }) =>
          `${name} is the team of ${run}, with its own models${config.actor === null ? "" : ` and the actor ${config.actor} instead of the training's`}: no published figure is of it.`,
      ),
    ...Object.entries(config.roleModels).map(
      ([slot, { model, baseUrl }]) => `The role ${slot} speaks with ${model} at ${new URL(baseUrl).origin}.`,
    ),
    ...describeOwn(config.own),
    ...settingNote(config, summaries),
    ...describeSkipped(skipped),
    ...(failed.length > 0
      ? [
          `Some samples have no score: ${failed.map(({ benchmark, method, scored, samples }) => `${benchmark} ${method} ${scored} of ${samples}`).join(", ")}. Go on with --resume.`,
        ]
      : []),
    ...(retried.length > 0
      ? ["Failed samples were taken again, which can favour the easier ones: first attempts alone differ."]
      : []),
  ];
}

/** Every call, whatever became of its sample. */
function spentNote(spent: JournalTotals | null, { price }: BenchConfig): string[] {
  if (!spent || spent.calls === 0) return [];
  const { calls, spentUsd, unsettled } = spent;
  const paid = price === null ? "" : ` and $${spentUsd.toFixed(2)}`;
  const open =
    unsettled.calls > 0
      ? `, of which ${unsettled.calls} ended with the process and count ${price === null ? "" : `$${unsettled.usd.toFixed(2)}, `}the most that they can cost`
      : "";
  return [`In all ${calls} calls${paid}, those of failed and cut off samples included${open}.`];
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

/** What agents saw, and why rows stand in two tables. */
function settingNote({ distribute }: BenchConfig, summaries: readonly MethodSummary[]): string[] {
  const named = (setting: MethodSummary["setting"]): string =>
    [...new Set(summaries.filter((each) => each.setting === setting).map(({ method }) => method))].join(", ");
  if (named("dealt") === "") return [];
  const others = distribute ? "" : " With --distribute the other methods that can be are dealt the same questions.";
  return [
    `Dealt: ${named("dealt")}. What a question states is dealt among their agents, nobody sees another's part, and what is asked is everybody's; records name the seed and the agents. They stand in tables of their own and are compared with each other alone: methods that see whole questions play another game.${others}`,
  ];
}

/** Protocols by method and benchmark, and what methods noted of their samples. */
function protocolNote(summaries: readonly MethodSummary[]): string[] {
  const played = summaries.filter(({ protocol }) => protocol !== null);
  const noted = summaries.flatMap(({ benchmark, method, notes, scored }) =>
    Object.entries(notes).map(([note, count]) => `${method} on ${benchmark} ${note}: ${count} of ${scored}`),
  );
  return [
    ...(played.length > 0
      ? [
          `Protocols: ${[...new Set(played.map(({ benchmark, method, protocol, shots }) => `${method} on ${benchmark} ${protocol}${shots ? `, ${shots} examples` : ""}`))].join("; ")}.`,
        ]
      : []),
    ...(noted.length > 0 ? [`Noted: ${noted.join("; ")}.`] : []),
  ];
}

function totalOf(name: string, { data, own }: BenchConfig): number | string {
  const questions = data?.name === name ? data.questions : own.boards.find((board) => board.name === name)?.questions;
  if (questions !== undefined) return questions;
  const benchmark = benchmarkNamed(name);
  return benchmark.splits[benchmark.defaultSplit]?.rows ?? "?";
}
