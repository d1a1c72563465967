import type { Kernels, SamplingOnDevice, SamplingRows, Tensor } from "../kernels/index.ts";
import type { LogProbsAtOne, TokenListener } from "@laconic/core";
import { kernelSampling, samplingParameters } from "@laconic/core/backends";
import { readPieces, type LikeliestPiece } from "../transformer/likeliest-tokens.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { extendReply, type Reply } from "./reply.ts";

export interface DrawnOnDevice {
  readonly sampled: ReturnType<Kernels["sampleTokens"]>;
  /** Null if not requested. */
  readonly atOne: LikeliestPiece | null;
}

export interface DrawnTokens {
  readonly replies: readonly Reply[];
  readonly tokens: ArrayLike<number>;
  readonly logProbs: ArrayLike<number>;
  readonly atOne: readonly LogProbsAtOne[] | null;
}

/** Draws the next token of every reply and frees the logits. */
export async function draw({ kernels }: ModelOnDevice, logits: Tensor, replies: readonly Reply[]): Promise<void> {
  const drawn = kernels.scope(() => {
    try {
      const uniform = Float32Array.from(replies, ({ uniforms, tokens }) => uniforms.at(tokens.length));
      return sampleAndLikeliest(kernels, logits, { ...settingsOf(replies), uniform }, replies);
    } finally {
      kernels.free(logits);
    }
  });
  extendDrawn(await readDrawn(kernels, drawn, replies));
}

export function sampleAndLikeliest(
  kernels: Kernels,
  logits: Tensor,
  rows: SamplingRows | SamplingOnDevice,
  replies: readonly Reply[],
): DrawnOnDevice {
  const most = Math.max(...replies.map(({ request }) => request.topLogProbs ?? -1));
  const sampled = kernels.sampleTokens(logits, rows);
  if (most < 0) return { sampled, atOne: null };
  const count = Math.min(most, logits.shape[1]!);
  return { sampled, atOne: kernels.tokenLogProbs(logits, sampled.tokens, count) };
}

/** Reads at once and frees the tensors. `keepTokens` keeps the tokens. */
export async function readDrawn(
  kernels: Kernels,
  { sampled, atOne }: DrawnOnDevice,
  replies: readonly Reply[],
  { keepTokens = false }: { readonly keepTokens?: boolean } = {},
): Promise<DrawnTokens> {
  const reads = [kernels.read(sampled.tokens), kernels.read(sampled.logProbs)] as const;
  const likeliest = atOne && readPieces(kernels, [atOne]);
  const [tokens, logProbs] = await Promise.all(reads);
  kernels.free(sampled.logProbs, ...(keepTokens ? [] : [sampled.tokens]));
  return { replies, tokens, logProbs, atOne: await likeliest };
}

export function extendDrawn({ replies, tokens, logProbs, atOne }: DrawnTokens): void {
  for (let i = 0; i < replies.length; i++) {
    const reply = replies[i]!;
    const count = reply.request.topLogProbs ?? -1;
    const one = count >= 0 ? atOne?.[i] : undefined;
    const top = one ? { logProb: one.logProb, top: one.top.slice(0, count) } : null;
    extendReply(reply, tokens[i]!, logProbs[i]!, top);
  }
}

export function settingsOf(replies: readonly Reply[]): Omit<SamplingRows, "uniform"> {
  const columns = kernelSampling.map((name) => {
    const { neutral } = samplingParameters[name];
    return [name, Float32Array.from(replies, ({ request }) => request.sampling[name] ?? neutral)] as const;
  });
  return Object.fromEntries(columns) as unknown as Omit<SamplingRows, "uniform">;
}

export type DrawnListener = (numbers: Float64Array) => void;

/**
 * Encodes the newest token of each reply: place, token, log-prob, number of likeliest tokens (-1 without log-probs at
 * temperature 1). If requested, the log-prob at temperature 1 and the likeliest tokens with log-probs follow.
 */
export function encodeDrawn(replies: readonly Reply[]): Float64Array {
  const numbers: number[] = [];
  for (const { slot, tokens, logProbs, atOne, request } of replies) {
    const index = tokens.length - 1;
    if (index < 0) continue;
    const asked = request.topLogProbs === undefined ? undefined : atOne[index];
    numbers.push(slot, tokens[index]!, logProbs[index]!, asked?.top.length ?? -1);
    if (asked) numbers.push(asked.logProb, ...asked.top.flatMap(({ token, logProb }) => [token, logProb]));
  }
  return Float64Array.from(numbers);
}

export function tellDrawn(numbers: Float64Array, listener: TokenListener): void {
  for (let index = 0; index < numbers.length;) {
    const [position = 0, token = 0, logProb = 0, count = -1] = numbers.subarray(index, index + 4);
    index += 4;
    if (count < 0) {
      listener(position, { token, logProb });
      continue;
    }
    const top = Array.from({ length: count }, (_, i) => ({
      token: numbers[index + 1 + 2 * i]!,
      logProb: numbers[index + 2 + 2 * i]!,
    }));
    listener(position, { token, logProb, atOne: { logProb: numbers[index]!, top } });
    index += 1 + 2 * count;
  }
}
