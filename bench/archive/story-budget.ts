// What a told budget does, from the folders of runs of `story-budget`: a JSON line for each run with its rank correlations and
// perplexities, and the dose-response over all of them, each budget with the tokens spent on it; or both as tables of Markdown.
//   npx tsx bench/archive/story-budget.ts [--markdown] [--svg FILE] [--untrained FOLDER] RUN...
// Episodes are those of the first and of the last evaluation, as the run recorded them. With `--untrained`, the words of the last one are
// measured under that model too: a run compares them with the policy that it began with, which has had its lessons.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { rankCorrelation, type Sampler } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { createLocalEngine } from "@laconic/engine";
import { wasmKernels } from "@laconic/kernels-wasm";
import { eachEpisode, folderSource } from "@laconic/trainer/reading";
import { doseChart } from "./dose-chart.ts";
import { doseOf, type Dose, type Told } from "./dose-response.ts";

interface Utterance {
  readonly finishReason: string;
  readonly writtenTokens: number;
  readonly promptTokens: readonly number[];
  readonly tokens: readonly number[];
}
interface Config {
  readonly train: { readonly sampling: { readonly temperature: number } };
}
interface Measured {
  readonly accuracy: number;
  readonly tokens: number;
  readonly language?: { readonly writer?: { readonly perplexity: number } };
}
interface Evaluation extends Measured {
  readonly step: number;
  readonly groups: Readonly<Record<string, Measured>>;
}
interface Played extends Told {
  readonly said: Utterance;
}

const { values, positionals } = parseArgs({
  options: {
    markdown: { type: "boolean", default: false },
    svg: { type: "string" },
    untrained: { type: "string" },
  },
  allowPositionals: true,
});
if (positionals.length === 0) throw new Error("name the folders of runs");
const engine = values.untrained === undefined ? null : await createLocalEngine({ device: wasmKernels(), workers: 1 });
const untrained =
  engine && values.untrained !== undefined
    ? await engine.createModel({ kind: "folder", path: values.untrained })
    : null;

const runs = await Promise.all(positionals.map((folder) => readRun(folder)));
await engine?.close();
const dose = { before: doseOf(runs.flatMap(({ first }) => first)), after: doseOf(runs.flatMap(({ last }) => last)) };
if (values.svg !== undefined) writeFileSync(values.svg, await doseChart(dose.before, dose.after, runs.length));
if (values.markdown) {
  const rows = runs.flatMap(({ name, rows: own }) => own.map((row) => ({ run: name, ...row })));
  process.stdout.write(`${tableOf(rows)}\n${tableOf(dose.after.map((each, i) => doseRow(each, dose.before[i])))}`);
} else {
  for (const { name, rows } of runs) process.stdout.write(`${JSON.stringify({ run: name, evaluations: rows })}\n`);
  process.stdout.write(`${JSON.stringify({ dose: dose.after, before: dose.before, runs: positionals.length })}\n`);
}

async function readRun(folder: string) {
  const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8")) as Config;
  const { temperature } = config.train.sampling;
  const evaluations = linesOf(join(folder, "evaluations.jsonl")) as unknown as Evaluation[];
  const played = new Map<number, readonly Played[]>();
  for await (const each of eachEpisode(folderSource(folder), "evaluation"))
    played.set(each.step, [...(played.get(each.step) ?? []), playedIn(each)]);
  const rows = await Promise.all(evaluations.map((each) => rowOf(each, played.get(each.step) ?? [], temperature)));
  const at = (evaluation: Evaluation | undefined): readonly Played[] => played.get(evaluation?.step ?? -1) ?? [];
  return { name: basename(folder), rows, first: at(evaluations[0]), last: at(evaluations.at(-1)) };
}

function playedIn({ problem, episode, task }: RecordedEpisode): Played {
  const [said] = episode.utterances;
  if (!said?.trace) throw new Error("an episode without a word: not a run of story-budget");
  const { finishReason, writtenTokens, trace } = said;
  const grade = task ?? Number.NaN;
  return {
    budget: Number(problem.gold),
    group: problem.group,
    grade,
    tokens: writtenTokens,
    said: { finishReason, writtenTokens, promptTokens: trace.promptTokens, tokens: trace.tokens },
  };
}

async function rowOf({ step, groups, language }: Evaluation, played: readonly Played[], temperature: number) {
  const of = (group: string): readonly Played[] => played.filter((each) => each.group === group);
  const rank = (some: readonly Played[]): number =>
    rankCorrelation(
      some.map(({ budget }) => budget),
      some.map(({ tokens }) => tokens),
    );
  return {
    step,
    known: groups["known"]?.accuracy ?? Number.NaN,
    unseen: groups["unseen"]?.accuracy ?? Number.NaN,
    rankKnown: rank(of("known")),
    rankUnseen: rank(of("unseen")),
    perplexity: language?.writer?.perplexity ?? Number.NaN,
    ...(untrained && { perplexityUntrained: await perplexityOf(untrained, played, temperature) }),
  };
}

/** exp of the mean -log π per token, without the token that ended a text. */
async function perplexityOf(model: Sampler, played: readonly Played[], temperature: number): Promise<number> {
  const sequences = played.flatMap(({ said: { promptTokens, tokens, finishReason } }) => {
    const completionTokens = finishReason === "stop" ? tokens.slice(0, -1) : tokens;
    return completionTokens.length === 0 ? [] : [{ promptTokens, completionTokens, temperature }];
  });
  const { logProbs } = await model.forward(sequences);
  return Math.exp(-logProbs.values.reduce((sum, value) => sum + value, 0) / logProbs.values.length);
}

function doseRow({ budget, group, n, tokens, half, spread, grade }: Dose, before: Dose | undefined) {
  return {
    "budget told": `${budget}`,
    "learned on": group === "known" ? "yes" : "no",
    n: `${n}`,
    "tokens before": before ? before.tokens.toFixed(1) : "",
    "tokens spent": `${tokens.toFixed(1)} ± ${half.toFixed(1)}`,
    "deviation of one reply": spread.toFixed(1),
    "grade before, %": before ? (100 * before.grade).toFixed(0) : "",
    "grade, %": (100 * grade).toFixed(0),
  };
}

function tableOf(rows: readonly Readonly<Record<string, string | number>>[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  const say = (value: string | number | undefined): string =>
    typeof value === "number" && !Number.isInteger(value) ? value.toFixed(3) : String(value ?? "");
  const body = rows.map((row) => line(columns.map((column) => say(row[column]))));
  return [line(columns), line(columns.map(() => "---")), ...body].join("");
}

function linesOf(path: string): Readonly<Record<string, unknown>>[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
}
