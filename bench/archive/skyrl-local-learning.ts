import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createLocalEngine,
  decodeSafetensors,
  encodeSafetensors,
  localPolicy,
  type StoredTensor,
} from "@laconic/engine";
import { wasmKernels } from "@laconic/kernels-wasm";
import { relayTask } from "@laconic/tasks";
import { relayQuickstart } from "@laconic/worlds";
import { onePolicy, parseTrainConfig, silentRecorder, train, type Evaluation } from "@laconic/trainer";
import type { LearningRow } from "./skyrl-learning.ts";

const shipped = fileURLToPath(new URL("../../packages/runtime/assets/relay-one-fact/", import.meta.url));
const lora = { rank: 8, alpha: 32 };
/** Of the quickstart's model. */
const layers = 2;

/**
 * The quickstart on the local engine with an adapter that begins as wide as SkyRL's: its stacked layers draw A from
 * +-sqrt(6 / (layers x inputs)), seen in what it exports; PEFT and we draw from +-sqrt(1 / inputs). At the same rate of B's steps that is
 * another size of update.
 */
export async function learnAsWide(seed: number, settings: Readonly<Record<string, unknown>>): Promise<LearningRow> {
  const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
  try {
    const folder = await mkdtemp(join(tmpdir(), "laconic-wide-"));
    const base = { kind: "folder", path: shipped } as const;
    const narrow = await engine.createModel({ kind: "adapter", base, lora, seed });
    await mkdir(folder, { recursive: true });
    await narrow.save(folder);
    await narrow.dispose();
    await widen(join(folder, "adapter_model.safetensors"));
    const model = await engine.createModel({ kind: "adapter-folder", base, path: folder });
    const task = relayTask({ level: "one-fact", testProblems: 1000 });
    const parts = onePolicy(task, model, (sampler) =>
      localPolicy({ id: model.id, sampler, tokenizer: task.tokenizer, batching: "waves" }),
    );
    const config = parseTrainConfig({ ...relayQuickstart.train, ...settings, seed });
    const [rewards, gaps]: [number[], number[]] = [[], []];
    const evaluations: Evaluation[] = [];
    const recorder = silentRecorder((metrics) => {
      rewards.push(metrics["reward/mean"] as number);
      gaps.push(metrics["sampling/logp_difference_max"] as number);
    });
    const began = performance.now();
    await train({
      ...parts,
      settings: config,
      recorder: { ...recorder, evaluation: async (each) => void evaluations.push(each) },
    });
    return {
      engine: "local, as wide",
      seed,
      evaluations: evaluations.map(({ step, accuracy, tokens }) => ({ step, accuracy, tokens })),
      rewards,
      samplerGap: Math.max(...gaps),
      secondsPerStep: (performance.now() - began) / 1000 / config.steps,
    };
  } finally {
    await engine.close();
  }
}

async function widen(file: string): Promise<void> {
  const { tensors, metadata } = decodeSafetensors(await readFile(file), file);
  const wider = [...tensors].map(([name, { shape, values }]): [string, StoredTensor] => [
    name,
    { shape, values: name.includes("lora_A") ? values.map((value) => value * Math.sqrt(6 / layers)) : values },
  ]);
  await writeFile(file, encodeSafetensors(new Map(wider), metadata));
}
