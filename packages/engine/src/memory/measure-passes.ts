import type { Kernels } from "../kernels/index.ts";
import { forwardCached } from "../transformer/forward-cached.ts";
import { Gradients } from "../transformer/gradients.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import { freeModel, type ModelOnDevice } from "../transformer/model-on-device.ts";
import { packBatch } from "../transformer/packed-batch.ts";
import { trainBackward, trainForward } from "../transformer/train-pass.ts";
import { blankModel, blankPlan, blankSequences } from "./blank-model.ts";
import type { MemorySettings } from "./plan-memory.ts";

/** Seconds on the device that was measured. */
export interface PassSeconds {
  /** Forward and backward of one micro-batch. */
  readonly training: number;
  /** Forward of one micro-batch without gradients. */
  readonly forward: number;
  /** One new token of every rollout, half-way through the replies. */
  readonly decodeStep: number;
}

/** Larger batches are measured in part and scaled. */
const mostTokens = 4096;
const mostRows = 256;
/** Timed runs after one that warms up; the fastest counts. */
const runs = 3;

/**
 * Times the passes of copies of the model that are one and two layers deep, and adds up the layers in between: seconds
 * of work instead of a whole model on the device. Weights are zeros, which dense arithmetic does not notice.
 *
 * @param now - seconds of a monotonic clock
 */
export async function measurePasses(
  kernels: Kernels,
  config: ModelConfig,
  settings: Omit<MemorySettings, "dtype">,
  now: () => number,
): Promise<PassSeconds> {
  const [one, two] = [
    await shallow(kernels, { ...config, layers: 1 }, settings, now),
    await shallow(kernels, { ...config, layers: 2 }, settings, now),
  ];
  const deep = (pass: keyof PassSeconds): number =>
    one[pass] + (config.layers - 1) * Math.max(0, two[pass] - one[pass]);
  return { training: deep("training"), forward: deep("forward"), decodeStep: deep("decodeStep") };
}

async function shallow(
  kernels: Kernels,
  config: ModelConfig,
  settings: Omit<MemorySettings, "dtype">,
  now: () => number,
): Promise<PassSeconds> {
  const model = blankModel(kernels, config, settings.lora);
  const length = settings.promptTokens + settings.completionTokens;
  const batch = Math.max(1, Math.min(settings.microBatch, Math.floor(mostTokens / length)));
  const rows = Math.min(settings.rollouts, mostRows);
  try {
    return {
      training: (settings.microBatch / batch) * (await fastest(now, () => train(model, settings, batch))),
      forward: (settings.microBatch / batch) * (await fastest(now, () => forward(model, settings, batch))),
      decodeStep: rows === 0 ? 0 : (settings.rollouts / rows) * (await decodeSeconds(model, settings, rows, now)),
    };
  } finally {
    freeModel(model);
    if (model.adapter) kernels.free(...model.adapter.matrices.values());
  }
}

async function fastest(now: () => number, body: () => Promise<void>): Promise<number> {
  await body();
  let least = Infinity;
  for (let run = 0; run < runs; run++) {
    const start = now();
    await body();
    least = Math.min(least, now() - start);
  }
  return least;
}

async function train(model: ModelOnDevice, settings: Omit<MemorySettings, "dtype">, count: number): Promise<void> {
  const { kernels } = model;
  const gradients = new Gradients(kernels);
  kernels.scope(() => {
    const pass = trainForward(model, packBatch(kernels, blankSequences(settings, count)), settings.recompute);
    const predictions = pass.batch.predictionCount;
    const d = kernels.upload(new Float64Array(predictions).fill(1), [predictions], "full");
    trainBackward(model, pass, d, gradients);
  });
  const [sum] = [kernels.sumSquares([...gradients.byName.values()])];
  await kernels.read(sum);
  kernels.free(sum);
  gradients.clear();
}

async function forward(model: ModelOnDevice, settings: Omit<MemorySettings, "dtype">, count: number): Promise<void> {
  const { kernels } = model;
  const logProbs = kernels.scope(
    () => trainForward(model, packBatch(kernels, blankSequences(settings, count)), "layer").logProbs,
  );
  await kernels.read(logProbs);
  kernels.free(logProbs);
}

async function decodeSeconds(
  model: ModelOnDevice,
  { promptTokens, completionTokens }: Omit<MemorySettings, "dtype">,
  rows: number,
  now: () => number,
): Promise<number> {
  const { kernels, config } = model;
  const capacity = Math.min(promptTokens + completionTokens, config.maxPositions);
  const past = Math.min(capacity - 1, promptTokens + Math.floor(completionTokens / 2));
  const { kvHeads, headDim } = config;
  const caches = Array.from({ length: config.layers }, () => kernels.createCache({ rows, capacity, kvHeads, headDim }));
  const each = Int32Array.from({ length: rows }, (_, row) => row);
  try {
    return await fastest(now, async () => {
      const logits = kernels.scope(() =>
        forwardCached(model, new Int32Array(rows), caches, blankPlan(kernels, rows, 1, past), each),
      );
      const sum = kernels.sumSquares([logits]);
      await kernels.read(sum);
      kernels.free(logits, sum);
    });
  } finally {
    for (const cache of caches) kernels.freeCache(cache);
  }
}
