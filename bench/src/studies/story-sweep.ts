// Settings of the story worlds, N at once, each on one thread, until the time is up: one JSON line for each run on standard output.
//   npx tsx bench/src/studies/story-sweep.ts --settings FILE [--model FOLDER] [--at-once 15] [--seconds 420] [--runs FOLDER] [--out FILE]
// FILE holds a list of {"name", "preset", "seed", "set": ["train.steps=100", ...]}; runs start in its order. At the limit those that run finish
// their step, save and are reported as `interrupted`; those that never began are named.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rankCorrelation } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { eachEpisode, folderSource } from "@laconic/trainer/reading";
import { whyFailed } from "../processes.ts";
import { readOptions } from "../options.ts";
import { printRow } from "../rows.ts";

interface Setting {
  readonly name: string;
  readonly preset: string;
  readonly seed: number;
  readonly set?: readonly string[];
}

const { values: flags } = readOptions({
  options: {
    settings: { type: "string" },
    model: { type: "string", default: join(process.env["LACONIC_DATA"] ?? "data", "stories260k") },
    "at-once": { type: "string", default: String(Math.max(1, availableParallelism() - 1)) },
    seconds: { type: "string", default: "420" },
    runs: { type: "string", default: join(tmpdir(), `laconic-stories-${process.pid}`) },
    out: { type: "string" },
  },
});
if (flags.settings === undefined) throw new Error("name the settings: --settings FILE");
const settings = JSON.parse(readFileSync(flags.settings, "utf8")) as Setting[];
const entry = join(fileURLToPath(import.meta.resolve("laconic/package.json")), "../assets/laconic.mjs");
mkdirSync(flags.runs, { recursive: true });
const started = performance.now();
const limit = Number(flags.seconds);
const secondsLeft = (): number => limit - (performance.now() - started) / 1000;
/** A run that cannot get far is not begun. */
const least = 20;

const waiting = [...settings];
const say = (row: object): void => printRow(flags.out, row);
const worker = async (): Promise<void> => {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    if (secondsLeft() < least) {
      waiting.unshift(next);
      return;
    }
    say(await trained(next));
  }
};
await Promise.all(Array.from({ length: Math.min(settings.length, Number(flags["at-once"])) }, worker));
if (waiting.length > 0) say({ notBegun: waiting.map(({ name, seed }) => `${name}/${seed}`) });

async function trained(setting: Setting): Promise<object> {
  const { name, preset, seed, set = [] } = setting;
  const run = join(flags.runs, `${name}-${seed}`);
  const words = ["train", `preset:${preset}`, `model=${flags.model}`, "workers=1", "train.evaluation.transcripts=400"];
  const began = performance.now();
  const child = spawn(process.execPath, [entry, ...words, ...set, "--seed", String(seed), "--run", run, "--json"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, OMP_NUM_THREADS: "1", UV_THREADPOOL_SIZE: "1" },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err = (err + chunk.toString()).slice(-4000)));
  const stop = setTimeout(() => child.kill("SIGTERM"), Math.max(1, 1000 * secondsLeft()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  clearTimeout(stop);
  const seconds = Math.round((performance.now() - began) / 1000);
  const last = out.trim().split("\n").at(-1) ?? "";
  const about = { name, preset, seed, set, seconds, code };
  if (!last.startsWith("{")) return { ...about, error: whyFailed(err) };
  const result = JSON.parse(last) as object;
  const warnings = err.split("\n").filter((line) => line.includes("warning"));
  return { ...about, ...result, ...(await tracesOf(run)), warnings };
}

/** Curves in ten numbers, every evaluation, and three episodes of the first and of the last. */
async function tracesOf(run: string): Promise<object> {
  const rows = linesOf<Record<string, number>>(join(run, "metrics.jsonl"));
  const curve = (metric: string): number[] | undefined => {
    if (rows.every((row) => row[metric] === undefined)) return undefined;
    const size = Math.max(1, Math.ceil(rows.length / 10));
    return Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => {
      const part = rows.slice(i * size, (i + 1) * size).map((row) => row[metric] ?? 0);
      return Number((part.reduce((sum, value) => sum + value, 0) / part.length).toPrecision(3));
    });
  };
  const metrics = ["task/accuracy", "tokens/episode_mean", "budget/tokens/lambda", "actor/kl_loss", "actor/entropy"];
  const evaluations = linesOf<Record<string, unknown>>(join(run, "evaluations.jsonl"));
  const episodes: RecordedEpisode[] = [];
  for await (const each of eachEpisode(folderSource(run), "evaluation")) episodes.push(each);
  const [first, last] = [episodes[0]?.step ?? 0, episodes.at(-1)?.step ?? 0];
  return {
    steps: rows.length,
    curves: Object.fromEntries(metrics.flatMap((metric) => (curve(metric) ? [[metric, curve(metric)]] : []))),
    evaluations: evaluations.map(({ step, groups, measures, language }) => ({ step, groups, measures, language })),
    obedience: [...new Set(episodes.map(({ step }) => step))].map((step) => obedienceAt(step, episodes)),
    shown: [first, last].map((step) => ({
      step,
      episodes: episodes
        .filter((each) => each.step === step)
        .slice(0, 6)
        .map(({ problem, task, episode }) => ({
          gold: problem.gold,
          group: problem.group,
          task,
          said: Object.fromEntries(episode.utterances.map(({ agent, text }) => [agent, text])),
        })),
    })),
  };
}

/** Of the world of budgets: how tokens follow them. */
function obedienceAt(step: number, episodes: readonly RecordedEpisode[]): object {
  const own = episodes.filter((each) => each.step === step && Number(each.problem.gold) > 0);
  const budgets = own.map(({ problem }) => Number(problem.gold));
  const tokens = own.map(({ episode }) => episode.utterances.reduce((sum, turn) => sum + turn.writtenTokens, 0));
  if (own.length === 0) return { step };
  const mean = (budget: number): number => {
    const some = tokens.filter((_, i) => budgets[i] === budget);
    return Number((some.reduce((sum, value) => sum + value, 0) / some.length).toFixed(1));
  };
  const different = [...new Set(budgets)].toSorted((a, b) => a - b);
  return {
    step,
    rankCorrelation: rankCorrelation(budgets, tokens),
    tokens: Object.fromEntries(different.map((budget) => [budget, mean(budget)])),
  };
}

function linesOf<T>(path: string): T[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}
