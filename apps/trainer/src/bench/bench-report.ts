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
  htmlOf,
  latexOf,
  markdownOf,
  publishedSource,
  readRecords,
  summarise,
  tokenTable,
  type MethodSummary,
} from "@laconic/evaluation";
import { readCalibrations } from "./calibration-file.ts";
import { methodNames, readBenchConfig, samplesFile, setNames, type BenchConfig } from "./bench-settings.ts";
import { readLeftOut, sayLeftOut, type LeftOut } from "./left-out-file.ts";
import { methodSpec } from "./method-spec.ts";
import { configOfRun } from "../run/open-run.ts";
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
  const order = (list: readonly string[], name: string): number => list.indexOf(name);
  const sorted = [...records.values()].toSorted(
    (a, b) =>
      order(setNames(config), a.benchmark) - order(setNames(config), b.benchmark) ||
      order(methods, a.method) - order(methods, b.method),
  );
  const summaries = summarise(sorted);
  const titleOf = (name: string): string =>
    baselines.find((each) => each.name === name)?.title ?? (name === "agent-gspo" ? "Agent-GSPO" : name);
  const tables = [
    accuracyTable(summaries, titleOf),
    tokenTable(summaries, titleOf, await readCalibrations(directory)),
    differenceTable(summaries, titleOf),
    ...[agentPoTable(summaries, titleOf, await actorsOf(config)), departureTable(summaries, titleOf)].filter(
      (table) => table !== null,
    ),
  ];
  const heading = `${config.model} on ${setNames(config).join(", ")}`;
  const notes = notesOf(config, summaries, await readLeftOut(directory));
  const markdown = [
    `# ${heading}`,
    "",
    ...notes.map((note) => `- ${note}`),
    "",
    ...tables.flatMap((table) => [markdownOf(table), ""]),
  ].join("\n");
  const contents: Readonly<Record<string, string>> = {
    "report.md": `${markdown}\n`,
    "report.html": `${htmlOf(heading, notes, tables, summaries)}\n`,
    "accuracy.csv": `${csvOf(tables[0] as (typeof tables)[0])}\n`,
    "tokens.csv": `${csvOf(tables[1] as (typeof tables)[0])}\n`,
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

function notesOf(config: BenchConfig, summaries: readonly MethodSummary[], leftOut: readonly LeftOut[]): string[] {
  const failed = summaries.filter(({ scored, samples }) => scored < samples);
  const retried = summaries.filter(
    ({ accuracy, firstAttemptAccuracy }) =>
      accuracy && firstAttemptAccuracy !== null && Math.abs(accuracy.value - firstAttemptAccuracy) > 1e-9,
  );
  const temperature = config.temperature === null ? "of each method's paper" : String(config.temperature);
  return [
    `Model ${config.model} at ${new URL(config.baseUrl).origin}; temperature ${temperature}; at most ${config.maxTokens} tokens a reply; seed ${config.seed}; ${config.repeats} repeat${config.repeats === 1 ? "" : "s"}; prompts ${promptVersion}; examples ${config.shots ?? "of each method's paper"}.`,
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
      .map(({ name, run }) => `${name} is the team of ${run}, with its own models.`),
    ...describeOwn(config.own),
    ...(leftOut.length > 0 ? [sayLeftOut(leftOut)] : []),
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

/** Protocols by method and benchmark, and what methods noted of their samples. */
function protocolNote(summaries: readonly MethodSummary[]): string[] {
  const played = summaries.filter(({ protocol }) => protocol !== null);
  const noted = summaries.flatMap(({ benchmark, method, notes, scored }) =>
    Object.entries(notes).map(([note, count]) => `${method} on ${benchmark} ${note}: ${count} of ${scored}`),
  );
  return [
    ...(played.length > 0
      ? [
          `Protocols: ${played.map(({ benchmark, method, protocol, shots }) => `${method} on ${benchmark} ${protocol}${shots ? `, ${shots} examples` : ""}`).join("; ")}.`,
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
