// CPU seconds of one update (forward, log-probs, backward, AdamW) and of one decode step on wasm, beside plain PyTorch on
// one thread: the same geometry and as many tokens, one after the other in one run.
// `node --experimental-wasm-relaxed-simd --import tsx bench/src/kernels/wasm-update.ts [size ...]`; Node 22 needs no flag, and without
// relaxed SIMD the fused form is left out. Needs Python with transformers: LACONIC_PYTHON or .venv.
import { performance } from "node:perf_hooks";
import { randomFromSeed, type SampleRequest, type TrainableModel } from "@laconic/core";
import { createInlineEngine } from "@laconic/engine";
import { gspo } from "@laconic/gspo";
import { createKernels } from "@laconic/kernels-wasm";
import { machine, print } from "../measure.ts";
import { qwen2Config, type Geometry } from "../model-geometry.ts";
import { lastOf, peer } from "../processes.ts";
import { readWords } from "../options.ts";

interface Size extends Geometry {
  readonly name: string;
  readonly steps: number;
}

interface Spent {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
}

const sizes: readonly Size[] = [
  { name: "0.1M", hidden: 64, layers: 2, heads: 4, kvHeads: 2, feedForward: 192, vocabulary: 64, steps: 12 },
  { name: "4.7M", hidden: 256, layers: 6, heads: 8, kvHeads: 4, feedForward: 768, vocabulary: 64, steps: 4 },
  { name: "28M", hidden: 512, layers: 8, heads: 8, kvHeads: 4, feedForward: 1536, vocabulary: 5120, steps: 1 },
];
const [sequences, promptTokens, completionTokens] = [16, 16, 112];

const chosen = readWords();
print("machine", machine());
for (const size of sizes) if (chosen.length === 0 || chosen.includes(size.name)) await compare(size);

async function compare(size: Size): Promise<void> {
  const spent = runPeer(size);
  if (spent) print("peer", { model: size.name, threads: 1, ...spent });
  for (const fma of [false, true]) {
    const kernels = await createKernels({ fma }).catch((error: unknown) => error as Error);
    if (kernels instanceof Error) {
      print("update", { model: size.name, fma, skipped: kernels.message });
      continue;
    }
    const engine = await createInlineEngine([kernels]);
    const model = await engine.createModel({ kind: "config", config: qwen2Config(size), seed: "bench" });
    const about = { model: size.name, parameters: model.parameters, backend: kernels.backend };
    const update = await fastest(() => updateOnce(model, size), size.steps);
    const tokens = sequences * (promptTokens + completionTokens);
    print("update", { ...about, tokens, ...update, ...(spent && { ratio: update.cpuSeconds / spent.cpuSeconds }) });
    const rollout = await fastest(() => sampleOnce(model, size), size.steps);
    print("rollout", { ...about, newTokens: sequences * completionTokens, ...rollout });
    await engine.close();
  }
}

function tokensOf(size: Size, seed: string, count: number): number[] {
  const random = randomFromSeed(seed);
  return Array.from({ length: count }, () => 2 + random.integer(size.vocabulary - 2));
}

async function updateOnce(model: TrainableModel, size: Size): Promise<void> {
  const batch = Array.from({ length: sequences }, (_, row) => ({
    promptTokens: tokensOf(size, `prompt ${row}`, promptTokens),
    completionTokens: tokensOf(size, `completion ${row}`, completionTokens),
  }));
  const advantages = Array.from({ length: sequences }, (_, row) => (row % 2 === 0 ? 1 : -1));
  const objective = gspo({ clip: { low: 0.03, high: 0.04 } });
  await model.forwardBackward(
    batch,
    (logProbs, rows) =>
      objective.evaluate({
        logProbs,
        oldLogProbs: logProbs,
        advantages: Float64Array.from(rows, (row) => advantages[row] as number),
      }).gradient,
  );
  await model.optimStep({
    learningRate: 1e-9,
    beta1: 0.9,
    beta2: 0.95,
    epsilon: 1e-8,
    weightDecay: 0,
    maxGradNorm: 1,
  });
}

async function sampleOnce(model: TrainableModel, size: Size): Promise<void> {
  const random = randomFromSeed("rollout");
  await model.sample(
    Array.from({ length: sequences }, (_, row): SampleRequest => ({
      promptTokens: tokensOf(size, `prompt ${row}`, promptTokens),
      sampling: { temperature: 1, maxTokens: completionTokens },
      stopTokens: [],
      random: random.split(String(row)).state(),
    })),
  );
}

/** Other work on the machine only ever adds time: the least of `count`, after one that warms up. */
async function fastest(run: () => Promise<void>, count: number): Promise<Spent> {
  let best: Spent = { cpuSeconds: Infinity, wallSeconds: Infinity };
  for (let i = 0; i < count + 1; i++) {
    const [cpu, wall] = [process.cpuUsage(), performance.now()];
    await run();
    const { user, system } = process.cpuUsage(cpu);
    if (i < 1) continue;
    best = {
      cpuSeconds: Math.min(best.cpuSeconds, (user + system) / 1e6),
      wallSeconds: Math.min(best.wallSeconds, (performance.now() - wall) / 1000),
    };
  }
  return best;
}

function runPeer(size: Size): Spent | null {
  const job = { config: qwen2Config(size), threads: 1, sequences, promptTokens, completionTokens, steps: size.steps };
  const result = lastOf(peer("torch_update.py", job));
  if (!("failed" in result)) return result as unknown as Spent;
  print("peer", result);
  return null;
}
