import { randomFromState, type Random, type SampleRequest, type SampleResult } from "@laconic/core";
import type { Kernels, KeyValueCache, SamplingRows, Tensor } from "../kernels/index.ts";
import { forwardCached } from "../transformer/forward-cached.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { cachePlan, prefill } from "./prefill.ts";

/** What bounds the memory of one call. */
export interface GenerationLimits {
  /** Most cache elements (keys and values of all layers) held at once; more requests run in waves. */
  readonly cacheElements: number;
  /** Most prompt tokens in one pass. */
  readonly prefillTokens: number;
}

const defaultLimits: GenerationLimits = { cacheElements: 1 << 28, prefillTokens: 16_384 };

/** Hears the tokens of one step: place of the request in the call, token, log-prob, three numbers each. */
export type TokensListener = (drawn: Float64Array) => void;

/** A reply in the making. */
interface Row {
  /** Place of its request in the call. */
  readonly place: number;
  /** In the caches of its wave. */
  cacheRow: number;
  readonly request: SampleRequest;
  readonly random: Random;
  readonly stopTokens: ReadonlySet<number>;
  /** No more than the model has positions for. */
  readonly maxTokens: number;
  readonly tokens: number[];
  readonly logProbs: number[];
  finishReason: SampleResult["finishReason"] | null;
}

/**
 * Samples all requests as one batch. Each draws one uniform number per token from its own stream, so a reply does not
 * depend on what else is in the batch.
 *
 * @param requests - as `checkRequests` lets them pass
 */
export async function generate(
  model: ModelOnDevice,
  requests: readonly SampleRequest[],
  limits: GenerationLimits = defaultLimits,
  onTokens: TokensListener = () => undefined,
): Promise<SampleResult[]> {
  const results: SampleResult[] = [];
  for (const wave of waves(model.config, requests, limits.cacheElements))
    for (const { request, tokens, logProbs, finishReason } of await runWave(
      model,
      wave,
      results.length,
      limits.prefillTokens,
      onTokens,
    ))
      results.push({ promptTokens: request.promptTokens, tokens, logProbs, finishReason: finishReason ?? "length" });
  return results;
}

function roomFor(config: ModelConfig, { promptTokens, sampling }: SampleRequest): number {
  return Math.min(promptTokens.length + sampling.maxTokens, config.maxPositions);
}

/** Cuts the requests, in order, so that the caches of one wave stay under the limit; a wave holds at least one. */
function waves(config: ModelConfig, requests: readonly SampleRequest[], cacheElements: number): SampleRequest[][] {
  const perPosition = 2 * config.layers * config.kvHeads * config.headDim;
  const result: SampleRequest[][] = [];
  let capacity = 0;
  for (const request of requests) {
    const wave = result.at(-1);
    const widest = Math.max(capacity, roomFor(config, request));
    if (wave && (wave.length + 1) * widest * perPosition <= cacheElements) {
      wave.push(request);
      capacity = widest;
    } else {
      result.push([request]);
      capacity = roomFor(config, request);
    }
  }
  return result;
}

async function runWave(
  model: ModelOnDevice,
  requests: readonly SampleRequest[],
  firstPlace: number,
  prefillTokens: number,
  onTokens: TokensListener,
): Promise<Row[]> {
  const { kernels, config } = model;
  const rows = requests.map((request, cacheRow): Row => ({
    place: firstPlace + cacheRow,
    cacheRow,
    request,
    random: randomFromState(request.random),
    stopTokens: new Set(request.stopTokens),
    maxTokens: roomFor(config, request) - request.promptTokens.length,
    tokens: [],
    logProbs: [],
    finishReason: null,
  }));
  const size = {
    rows: rows.length,
    capacity: Math.max(...requests.map((request) => roomFor(config, request))),
    kvHeads: config.kvHeads,
    headDim: config.headDim,
  };
  const caches = Array.from({ length: config.layers }, () => kernels.createCache(size));
  try {
    const prompts = requests.map(({ promptTokens }) => promptTokens);
    for (const { prompts: ended, logits } of prefill(model, caches, prompts, prefillTokens))
      await sampleStep(
        model,
        logits,
        ended.map((prompt) => rows[prompt] as Row),
        onTokens,
      );
    let active = closeGaps(kernels, caches, rows);
    while (active.length > 0) {
      await sampleStep(model, decodeStep(model, caches, active), active, onTokens);
      active = closeGaps(kernels, caches, active);
    }
  } finally {
    for (const cache of caches) kernels.freeCache(cache);
  }
  return rows;
}

/**
 * The unfinished rows, in cache rows 0, 1, 2, ...: those behind the last are moved into the places of finished ones, so
 * that a device can read the caches where they lie instead of gathering rows.
 */
function closeGaps(kernels: Kernels, caches: readonly KeyValueCache[], rows: readonly Row[]): readonly Row[] {
  const active = rows.filter((row) => row.finishReason === null);
  if (active.length === rows.length) return rows;
  const taken = new Set(active.map(({ cacheRow }) => cacheRow));
  const movers = active.filter(({ cacheRow }) => cacheRow >= active.length);
  const [from, to, lengths] = [movers, movers, movers].map((each) => new Int32Array(each.length)) as [
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  let free = 0;
  movers.forEach((row, i) => {
    while (taken.has(free)) free += 1;
    from[i] = row.cacheRow;
    to[i] = free;
    lengths[i] = cached(row);
    row.cacheRow = free++;
  });
  if (movers.length > 0) for (const cache of caches) kernels.copyCacheRows(cache, from, to, lengths);
  return active.toSorted((a, b) => a.cacheRow - b.cacheRow);
}

/** Positions of a row that the caches hold: all but the newest token. */
function cached({ request, tokens }: Row): number {
  return request.promptTokens.length + tokens.length - 1;
}

/** Feeds each row its newest token; logits [rows, V]. */
function decodeStep(model: ModelOnDevice, caches: readonly KeyValueCache[], rows: readonly Row[]): Tensor {
  const { kernels } = model;
  const count = rows.length;
  // Loops, not Array.from: this runs once per token and a large batch would feel it.
  const [tokens, past, cacheRows] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  const offsets = new Int32Array(count + 1);
  for (let i = 0; i < count; i++) {
    const row = rows[i] as Row;
    tokens[i] = row.tokens[row.tokens.length - 1] as number;
    past[i] = cached(row);
    cacheRows[i] = row.cacheRow;
    offsets[i + 1] = i + 1;
  }
  return kernels.scope(() =>
    forwardCached(model, tokens, caches, cachePlan(kernels, cacheRows, past, offsets), offsets.subarray(0, count)),
  );
}

/** Draws the next token of every row, decides whether it ends the reply, and frees the logits. */
async function sampleStep(
  model: ModelOnDevice,
  logits: Tensor,
  rows: readonly Row[],
  onTokens: TokensListener,
): Promise<void> {
  const { kernels } = model;
  const drawn = kernels.scope(() => {
    try {
      return kernels.sampleTokens(logits, samplingRows(rows));
    } finally {
      kernels.free(logits);
    }
  });
  const [tokens, logProbs] = await Promise.all([kernels.read(drawn.tokens), kernels.read(drawn.logProbs)]);
  kernels.free(drawn.tokens, drawn.logProbs);
  const drawnTokens = new Float64Array(3 * rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as Row;
    const token = tokens[i] as number;
    row.tokens.push(token);
    row.logProbs.push(logProbs[i] as number);
    drawnTokens.set([row.place, token, logProbs[i] as number], 3 * i);
    if (row.stopTokens.has(token) || endsWithStop(row)) row.finishReason = "stop";
    else if (row.tokens.length >= row.maxTokens) row.finishReason = "length";
  }
  onTokens(drawnTokens);
}

function samplingRows(rows: readonly Row[]): SamplingRows {
  const count = rows.length;
  const settings: SamplingRows = {
    temperature: new Float32Array(count),
    topK: new Int32Array(count),
    topP: new Float32Array(count),
    minP: new Float32Array(count),
    uniform: new Float32Array(count),
  };
  for (let i = 0; i < count; i++) {
    const { request, random } = rows[i] as Row;
    settings.temperature[i] = request.sampling.temperature;
    settings.topK[i] = request.sampling.topK ?? 0;
    settings.topP[i] = request.sampling.topP ?? 1;
    settings.minP[i] = request.sampling.minP ?? 0;
    settings.uniform[i] = random.uniform();
  }
  return settings;
}

function endsWithStop({ request, tokens }: Row): boolean {
  return (request.stopSequences ?? []).some(
    (stop) => stop.length > 0 && stop.every((token, i) => tokens[tokens.length - stop.length + i] === token),
  );
}
