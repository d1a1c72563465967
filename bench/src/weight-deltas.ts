/**
 * Bytes that a version of weights takes on the wire to a receiver: the first, whole, and later ones, which go as what differs from the
 * version before. All weights of a model of 4.7 million, and its adapter, by learning rate.
 *
 *     npx tsx bench/src/weight-deltas.ts OUT.jsonl [STEPS]
 */
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFromSeed, type BaseSource, type Engine, type ModelSource, type TrainableModel } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { Fleet, FleetModel, sglangServer, WeightsReceiver, WeightsSender, type WeightsSent } from "@laconic/fleet";
import { startFakeSglang } from "@laconic/fleet/testing";
import { wasmKernels } from "@laconic/kernels-wasm";
import { machine } from "./measure.ts";
import { qwen2Config } from "./model-geometry.ts";
import { readWords } from "./options.ts";
import { printRow } from "./rows.ts";

const [out = "weight-deltas.jsonl", steps = "8"] = readWords();
const vocabulary = 64;
const geometry = { hidden: 256, layers: 6, heads: 8, kvHeads: 4, feedForward: 768, vocabulary };
const base: BaseSource = { kind: "config", config: qwen2Config(geometry), seed: 1 };
const sources: Readonly<Record<string, ModelSource>> = {
  "all weights": base,
  "adapter of rank 16": { kind: "adapter", base, lora: { rank: 16, alpha: 32 }, seed: 3 },
};
const random = randomFromSeed("weight deltas");
const tokens = (count: number): number[] => Array.from({ length: count }, () => random.integer(vocabulary));

const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
writeFileSync(out, "");
for (const [what, source] of Object.entries(sources))
  for (const learningRate of [1e-6, 1e-4, 1e-3]) {
    const [first, ...later] = await versionsSent(engine, source, learningRate);
    if (!first || later.length === 0) throw new Error("no version was sent");
    const meanBytes = Math.round(later.reduce((sum, { sentBytes }) => sum + sentBytes, 0) / later.length);
    const row = { bench: "weight-deltas", machine: machine(), what, learningRate, steps: later.length };
    printRow(out, { ...row, bytes: first.bytes, firstBytes: first.sentBytes, laterBytes: meanBytes });
  }
await engine.close();

/** Trains so many steps, and samples once of each version, which sends it. */
async function versionsSent(from: Engine, source: ModelSource, learningRate: number): Promise<readonly WeightsSent[]> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-deltas-"));
  const fake = await startFakeSglang({ engine: from, base });
  const { handler } = new WeightsReceiver({ folder: join(folder, "received") });
  const sender = new WeightsSender({ folder: join(folder, "sent") });
  const server = sender.throughReceiver(sglangServer({ url: fake.url }), {
    url: "http://receiver:8790",
    fetch: (url, init) => handler(new Request(url, init)),
  });
  const fleet = new Fleet({ servers: [server], vocabularySize: vocabulary });
  try {
    const local = await from.createModel(source);
    const model = new FleetModel(local, fleet, { name: "run.actor", folder: join(folder, "weights") });
    for (let step = 0; step <= Number(steps); step++) {
      if (step > 0) await update(model, learningRate);
      const sampling = { temperature: 1, maxTokens: 2 };
      await model.sample([{ promptTokens: tokens(4), sampling, stopTokens: [], random: random.state() }]);
    }
    await local.dispose();
    return sender.sent;
  } finally {
    fleet.close();
    await sender.close();
    await fake.close();
    await rm(folder, { recursive: true });
  }
}

/** A step of AdamW on 16 sequences, with gradients of either sign. */
async function update(model: TrainableModel, learningRate: number): Promise<void> {
  const sequences = Array.from({ length: 16 }, () => ({ promptTokens: tokens(16), completionTokens: tokens(16) }));
  await model.forwardBackward(sequences, ({ values }) => values.map((_, i) => (i % 32 < 16 ? -1 / 256 : 1 / 256)));
  await model.optimStep({ learningRate, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 });
}
