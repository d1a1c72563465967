import { randomFromState, type Random, type SampleRequest, type SampleResult } from "@laconic/core";
import type { KeyValueCache, SamplingRows, Tensor } from "../kernels/index.ts";
import { forwardCached } from "../transformer/forward-cached.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { checkRequests } from "./check-requests.ts";
import { cachePlan, prefill } from "./prefill.ts";

/** Most cache elements (keys and values of all layers) held at once; more requests run in waves. */
const defaultCacheElements = 1 << 28;

/** A reply in the making. */
interface Row {
  readonly index: number;
  readonly request: SampleRequest;
  readonly random: Random;
  readonly stopTokens: ReadonlySet<number>;
  readonly maxTokens: number;
  readonly tokens: number[];
  readonly logProbs: number[];
  finishReason: SampleResult["finishReason"] | null;
}

/**
 * Samples all requests as one batch. Each draws one uniform number per token from its own stream, so a reply does not
 * depend on what else is in the batch.
 * @throws LaconicError `input_invalid` naming the request and the position of a token outside the vocabulary, or a prompt that is empty or leaves no room.
 */
export async function generate(
  model: ModelOnDevice,
  requests: readonly SampleRequest[],
  cacheElements: number = defaultCacheElements,
): Promise<SampleResult[]> {
  checkRequests(model.config, requests);
  const rows = requests.map((request, index): Row => ({
    index,
    request,
    random: randomFromState(request.random),
    stopTokens: new Set(request.stopTokens),
    maxTokens: Math.min(request.sampling.maxTokens, model.config.maxPositions - request.promptTokens.length),
    tokens: [],
    logProbs: [],
    finishReason: null,
  }));
  for (const wave of waves(model, rows, cacheElements)) await runWave(model, wave);
  return rows.map(({ request, tokens, logProbs, finishReason }) => ({
    promptTokens: request.promptTokens,
    tokens,
    logProbs,
    finishReason: finishReason ?? "length",
  }));
}

function room(row: Row): number {
  return row.request.promptTokens.length + row.maxTokens;
}

/** Cuts the rows, in order, so that the caches of one wave stay under the limit. */
function waves(model: ModelOnDevice, rows: readonly Row[], cacheElements: number): Row[][] {
  const { layers, kvHeads, headDim } = model.config;
  const perPosition = 2 * layers * kvHeads * headDim;
  const result: Row[][] = [];
  let capacity = 0;
  for (const row of rows) {
    const wave = result.at(-1);
    const widest = Math.max(capacity, room(row));
    if (wave && (wave.length + 1) * widest * perPosition <= cacheElements) {
      wave.push(row);
      capacity = widest;
    } else {
      result.push([row]);
      capacity = room(row);
    }
  }
  return result;
}

async function runWave(model: ModelOnDevice, rows: readonly Row[]): Promise<void> {
  const { kernels, config } = model;
  const size = {
    rows: rows.length,
    capacity: Math.max(...rows.map(room)),
    kvHeads: config.kvHeads,
    headDim: config.headDim,
  };
  const caches = Array.from({ length: config.layers }, () => kernels.createCache(size));
  try {
    let active = rows.map((row, at) => ({ row, at }));
    let logits = prefill(
      model,
      caches,
      rows.map((row) => row.request.promptTokens),
    );
    while (active.length > 0) {
      await sampleStep(
        model,
        logits,
        active.map(({ row }) => row),
      );
      kernels.free(logits);
      active = active.filter(({ row }) => row.finishReason === null);
      if (active.length > 0) logits = decodeStep(model, caches, active);
    }
  } finally {
    for (const cache of caches) kernels.freeCache(cache);
  }
}

/** Feeds each active row its newest token; logits [active, V]. */
function decodeStep(
  model: ModelOnDevice,
  caches: readonly KeyValueCache[],
  active: readonly { readonly row: Row; readonly at: number }[],
): Tensor {
  const { kernels } = model;
  const count = active.length;
  return kernels.scope(() => {
    const tokens = Int32Array.from(active, ({ row }) => row.tokens.at(-1) as number);
    const past = Int32Array.from(active, ({ row }) => row.request.promptTokens.length + row.tokens.length - 1);
    const offsets = Int32Array.from({ length: count + 1 }, (_, i) => i);
    const plan = cachePlan(
      kernels,
      Int32Array.from(active, ({ at }) => at),
      past,
      offsets,
    );
    return forwardCached(model, tokens, caches, plan, offsets.subarray(0, count));
  });
}

/** Draws the next token of every row and decides whether it ends the reply. */
async function sampleStep(model: ModelOnDevice, logits: Tensor, rows: readonly Row[]): Promise<void> {
  const { kernels } = model;
  const settings: SamplingRows = {
    temperature: Float32Array.from(rows, (row) => row.request.sampling.temperature),
    topK: Int32Array.from(rows, (row) => row.request.sampling.topK ?? 0),
    topP: Float32Array.from(rows, (row) => row.request.sampling.topP ?? 1),
    minP: Float32Array.from(rows, (row) => row.request.sampling.minP ?? 0),
    uniform: Float32Array.from(rows, (row) => row.random.uniform()),
  };
  const drawn = kernels.scope(() => kernels.sampleTokens(logits, settings));
  const [tokens, logProbs] = await Promise.all([kernels.read(drawn.tokens), kernels.read(drawn.logProbs)]);
  kernels.free(drawn.tokens, drawn.logProbs);
  rows.forEach((row, i) => {
    const token = tokens[i] as number;
    row.tokens.push(token);
    row.logProbs.push(logProbs[i] as number);
    if (row.stopTokens.has(token) || endsWithStop(row)) row.finishReason = "stop";
    else if (row.tokens.length >= row.maxTokens) row.finishReason = "length";
  });
}

function endsWithStop({ request, tokens }: Row): boolean {
  return (request.stopSequences ?? []).some(
    (stop) => stop.length > 0 && stop.every((token, i) => tokens[tokens.length - stop.length + i] === token),
  );
}
