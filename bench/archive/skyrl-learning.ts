import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { relayQuickstart } from "@laconic/worlds";
import { learnAsWide } from "./skyrl-local-learning.ts";

/** One run of the quickstart, with an adapter. */
export interface LearningRow {
  readonly engine: "local" | "local, as wide" | "server";
  readonly seed: number;
  /** Test, at the step. */
  readonly evaluations: readonly { readonly step: number; readonly accuracy: number; readonly tokens: number }[];
  /** Mean reward of every step. */
  readonly rewards: readonly number[];
  /** Largest difference between sampled and recomputed log-probs, over all steps. */
  readonly samplerGap: number;
  readonly secondsPerStep: number;
}

const entry = fileURLToPath(new URL("../../apps/trainer/assets/laconic.mjs", import.meta.url));

/** The quickstart with an adapter instead of all weights, fewer steps, and nothing that a server has no field for. */
const words = [
  "preset:relay-quickstart",
  "lora.rank=8",
  "lora.alpha=32",
  "train.optimizer.maxGradNorm=null",
  "train.steps=60",
  "train.problemsPerStep=8",
  "train.optimizer.learningRate.peak=1e-3",
  "train.budget.annealIterations=20",
  "train.evaluation.every=10",
  "train.evaluation.problems=100",
  "train.evaluation.transcripts=0",
  "train.checkpoint.every=10",
];

/** The same as settings of the trainer. */
const settings = {
  steps: 60,
  problemsPerStep: 8,
  optimizer: { ...relayQuickstart.train.optimizer, maxGradNorm: null, learningRate: { ...peak(), peak: 1e-3 } },
  budget: { ...relayQuickstart.train.budget, annealIterations: 20 },
  evaluation: { every: 10, problems: 100, transcripts: 0 },
  checkpoint: { every: 10, keep: 2 },
};

function peak(): object {
  return relayQuickstart.train.optimizer?.learningRate ?? {};
}

/** The local curve of three seeds, with adapters of its own and with ones as wide as the server's, and the server's of those given. */
export async function runLearning(
  server: string,
  seeds: readonly number[],
  say: (text: string) => void,
): Promise<readonly LearningRow[]> {
  const rows: LearningRow[] = [];
  for (const seed of seeds) rows.push(await run("server", seed, ["device=auto", `engine=tinker:${server}`]));
  for (const seed of [0, 1, 2]) rows.push(await run("local", seed, ["device=wasm"]));
  for (const seed of [0, 1, 2]) rows.push(await learnAsWide(seed, settings));
  return rows;

  async function run(engine: LearningRow["engine"], seed: number, where: readonly string[]): Promise<LearningRow> {
    const directory = join(await mkdtemp(join(tmpdir(), "laconic-learning-")), "run");
    const child = spawn(
      process.execPath,
      [entry, "train", ...words, ...where, `train.seed=${seed}`, "--run", directory],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    child.stderr.on("data", (text: Buffer) => say(text.toString().trimEnd()));
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error(`seed ${seed} on the ${engine} engine ended with ${code}; ${directory}`);
    const lines = async (name: string): Promise<Record<string, number>[]> =>
      (await readFile(join(directory, name), "utf8"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, number>);
    const [metrics, timing, evaluations] = [
      await lines("metrics.jsonl"),
      await lines("timing.jsonl"),
      await lines("evaluations.jsonl"),
    ];
    const seconds = timing
      .map((each) =>
        Object.entries(each).reduce((sum, [name, value]) => (name.startsWith("timing_s/") ? sum + value : sum), 0),
      )
      .toSorted((a, b) => a - b);
    const row: LearningRow = {
      engine,
      seed,
      evaluations: evaluations.map(({ step, accuracy, tokens }) => ({
        step: step as number,
        accuracy: accuracy as number,
        tokens: tokens as number,
      })),
      rewards: metrics.map((each) => each["reward/mean"] ?? NaN),
      samplerGap: Math.max(...metrics.map((each) => each["sampling/logp_difference_max"] ?? 0)),
      secondsPerStep: seconds[seconds.length >> 1] ?? NaN,
    };
    say(JSON.stringify(row));
    return row;
  }
}
