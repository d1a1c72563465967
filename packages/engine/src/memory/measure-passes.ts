import type { Kernels } from "../kernels/index.ts";
import { forwardCached } from "../transformer/forward-cached.ts";
import { Gradients } from "../transformer/gradients.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import { freeModel, type ModelOnDevice } from "../transformer/model-on-device.ts";
import { packBatch } from "../transformer/packed-batch.ts";
import { trainBackward, trainForward } from "../transformer/train-pass.ts";
import { blankModel, blankPlan, blankSequences } from "./blank-model.ts";
import type { MemorySettings } from "./plan-memory.ts";

/** Seconds of each pass. */
export interface PassSeconds {
  /** Per micro-batch. */
  readonly training: number;
  /** Without gradients. */
  readonly forward: number;
  /** A token per rollout, half-way through. */
  readonly decodeStep: number;
  /** The same for one reply alone. */
  readonly decodeRow: number;
}

/** Larger batches are extrapolated from this many seconds. */
const longEnough = 1;

type Settings = Omit<MemorySettings, "dtype">;

type Counts = Readonly<Record<keyof PassSeconds, number>>;

/**
 * Extrapolates from models with one and two layers. Zero weights do not change the speed.
 * @param now - monotonic clock in seconds
 */
export async function measurePasses(
  kernels: Kernels,
  config: ModelConfig,
  settings: Settings,
  now: () => number,
): Promise<PassSeconds> {
  const whole: Counts = {
    training: settings.microBatch,
    forward: settings.microBatch,
    decodeStep: settings.rollouts,
    decodeRow: Math.min(1, settings.rollouts),
  };
  const two = await onShallow(kernels, { ...config, layers: 2 }, settings, (prepare) =>
    forPasses((pass) => growing(now, whole[pass], (count) => prepare(pass, count))),
  );
  return onShallow(kernels, { ...config, layers: 1 }, settings, (prepare) =>
    forPasses(async (pass) => {
      const { count, seconds } = two[pass];
      if (count === 0) return 0;
      const one = await fastest(now, prepare(pass, count));
      const perLayer = Math.max(0, seconds - one);
      return (whole[pass] / count) * (one + (config.layers - 1) * perLayer);
    }),
  );
}

async function forPasses<T>(measure: (pass: keyof PassSeconds) => Promise<T>): Promise<Record<keyof PassSeconds, T>> {
  return {
    training: await measure("training"),
    forward: await measure("forward"),
    decodeStep: await measure("decodeStep"),
    decodeRow: await measure("decodeRow"),
  };
}

interface PreparedPass {
  run(): Promise<void>;
  free(): void;
}

type Prepare = (pass: keyof PassSeconds, count: number) => PreparedPass;

interface Timed {
  readonly count: number;
  readonly seconds: number;
}

async function growing(now: () => number, most: number, prepare: (count: number) => PreparedPass): Promise<Timed> {
  let count = Math.min(1, most);
  let seconds = 0;
  while (count > 0) {
    seconds = await fastest(now, prepare(count));
    if (count === most || seconds >= longEnough) break;
    count = Math.min(most, 4 * count);
  }
  return { count, seconds };
}

/** Faster of two runs after a warm-up. */
async function fastest(now: () => number, pass: PreparedPass): Promise<number> {
  try {
    await pass.run();
    const times: number[] = [];
    for (let run = 0; run < 2; run++) {
      const start = now();
      await pass.run();
      times.push(now() - start);
    }
    return Math.min(...times);
  } finally {
    pass.free();
  }
}

async function onShallow<T>(
  kernels: Kernels,
  config: ModelConfig,
  settings: Settings,
  body: (prepare: Prepare) => Promise<T>,
): Promise<T> {
  const model = blankModel(kernels, config, settings.lora);
  const nothing = (): void => undefined;
  const passes: Readonly<Record<keyof PassSeconds, (count: number) => PreparedPass>> = {
    training: (count) => ({ run: () => train(model, settings, count), free: nothing }),
    forward: (count) => ({ run: () => forward(model, settings, count), free: nothing }),
    decodeStep: (count) => decoding(model, settings, count),
    decodeRow: (count) => decoding(model, settings, count),
  };
  try {
    return await body((pass, count) => passes[pass](count));
  } finally {
    freeModel(model);
    if (model.adapter) kernels.free(...model.adapter.matrices.values());
  }
}

async function train(model: ModelOnDevice, settings: Settings, count: number): Promise<void> {
  const { kernels } = model;
  const gradients = new Gradients(kernels);
  kernels.scope(() => {
    const pass = trainForward(
      model,
      packBatch(kernels, blankSequences(settings, count, model.config.vocabularySize)),
      settings.recompute,
    );
    const predictions = pass.batch.predicted.length;
    const d = kernels.upload(new Float64Array(predictions).fill(1), [predictions], "full");
    trainBackward(model, pass, d, gradients);
  });
  // A read waits for the last operation.
  const [smallest] = [...gradients.byName.values()].toSorted((a, b) => Math.max(...a.shape) - Math.max(...b.shape));
  const sum = kernels.sumSquares(smallest ? [smallest] : []);
  await kernels.read(sum);
  kernels.free(sum);
  gradients.clear();
}

async function forward(model: ModelOnDevice, settings: Settings, count: number): Promise<void> {
  const { kernels } = model;
  const logProbs = kernels.scope(
    () =>
      trainForward(model, packBatch(kernels, blankSequences(settings, count, model.config.vocabularySize)), "layer")
        .logProbs,
  );
  await kernels.read(logProbs);
  kernels.free(logProbs);
}

function decoding(model: ModelOnDevice, { promptTokens, completionTokens }: Settings, rows: number): PreparedPass {
  const { kernels, config } = model;
  const capacity = Math.min(promptTokens + completionTokens, config.maxPositions);
  const past = Math.min(capacity - 1, promptTokens + Math.floor(completionTokens / 2));
  const { kvHeads, headDim } = config;
  const caches = Array.from({ length: config.layers }, () =>
    kernels.createCache({ pages: rows, pageSize: capacity, kvHeads, headDim }),
  );
  const item = Int32Array.from({ length: rows }, (_, row) => row);
  return {
    async run() {
      const logits = kernels.scope(() =>
        forwardCached(model, new Int32Array(rows), caches, blankPlan(kernels, rows, 1, past), item),
      );
      const sum = kernels.sumSquares([logits]);
      await kernels.read(sum);
      kernels.free(logits, sum);
    },
    free() {
      for (const cache of caches) kernels.freeCache(cache);
    },
  };
}
