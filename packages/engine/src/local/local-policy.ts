import { inputError, LaconicError, present } from "@laconic/core";
import type {
  ChatMessage,
  ChatTokenizer,
  Completion,
  CompletionRequest,
  DrawnToken,
  EngineCapabilities,
  LanguageModel,
  ModelIdentity,
  OwnReply,
  Sampler,
  SampleRequest,
  SampleResult,
  TokenBytes,
  Tokenizer,
  TokenTrace,
} from "@laconic/core";
import { nextTurn } from "#platform";

/** Batching of a local policy's requests. */
export type Batching = "waves" | "continuous";

/**
 * Batching of reproducible runs: `continuous` if replies do not depend on batches, or the device is not deterministic
 * anyway. Otherwise `waves`.
 */
export function repeatableBatching({
  kind,
  deterministic,
  batchInvariant,
}: Pick<EngineCapabilities, "kind" | "deterministic" | "batchInvariant">): Batching {
  return kind === "local" && (batchInvariant || !deterministic) ? "continuous" : "waves";
}

/**
 * Wraps a sampler as a language model. The trace and usage include the token that completes a stop text; the text
 * does not.
 * @param options.batching - `waves` (default): requests during a batch form the next one, for reproducible runs.
 * `continuous`: requests join at once.
 * @throws LaconicError from `complete`: `aborted`, `input_invalid` for unsupported prompts.
 */
export function localPolicy(options: {
  readonly id: string;
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer | ChatTokenizer;
  readonly batching?: Batching;
}): LanguageModel {
  const { id, sampler, tokenizer, batching = "waves" } = options;
  const sample = batching === "waves" ? sampleInWaves(sampler) : sampleAtOnce(sampler);
  return {
    id,
    ...present({ supports: sampler.supports }),
    complete: (request) =>
      new Promise((resolve, reject) => {
        const { signal, onToken } = request;
        const abort = (): void => reject(new LaconicError("aborted", "the request was aborted"));
        if (signal?.aborted) return abort();
        if (request.scorePrompt) return resolve(scored(request, sampler, tokenizer, id));
        const sampled = sample(sampleRequest(request, tokenizer), onToken);
        signal?.addEventListener("abort", abort, { once: true });
        sampled
          .then(({ result, weightVersion }) => resolve(completion(request, result, tokenizer, { id, weightVersion })))
          .catch(reject)
          .finally(() => signal?.removeEventListener("abort", abort));
      }),
  };
}

async function scored(
  request: CompletionRequest,
  sampler: Sampler,
  tokenizer: Tokenizer,
  id: string,
): Promise<Completion> {
  const tokens = promptTokens(request, tokenizer);
  const sequence = { promptTokens: tokens.slice(0, 1), completionTokens: tokens.slice(1) };
  const logProbs =
    tokens.length < 2 ? [] : Array.from((await sampler.forward([sequence], { topLogProbs: 0 })).atOne?.[0] ?? []);
  return {
    text: "",
    finishReason: "length",
    usage: { promptTokens: tokens.length, completionTokens: 0, counted: "model" },
    model: { id, weightVersion: sampler.weightVersion },
    promptLogProbs: tokens.length === 0 ? [] : [null, ...logProbs.map(({ logProb }) => logProb)],
  };
}

function sampleRequest(request: CompletionRequest, tokenizer: Tokenizer): SampleRequest {
  const { stop = [], ...sampling } = request.sampling;
  const { topLogProbs, conversation, signal } = request;
  return {
    promptTokens: promptTokens(request, tokenizer),
    sampling,
    stopTokens: endTokens(tokenizer),
    ...(stop.some((text) => text !== "") && { stopTexts: { texts: stop, tokenBytes: tokenBytesOf(tokenizer) } }),
    random: request.random,
    ...present({ topLogProbs, conversation, signal }),
  };
}

function endTokens(tokenizer: Tokenizer | ChatTokenizer): readonly number[] {
  return "endTokens" in tokenizer ? tokenizer.endTokens : [tokenizer.endToken];
}

function promptTokens(
  { prompt, ownReplies = [] }: CompletionRequest,
  tokenizer: Tokenizer | ChatTokenizer,
): readonly number[] {
  switch (prompt.kind) {
    case "tokens":
      return prompt.tokens;
    case "text":
      return tokenizer.encodePrompt?.(prompt.text) ?? tokenizer.encode(prompt.text);
    case "messages":
      if ("encodeChat" in tokenizer) return chatTokens(prompt.messages, ownReplies, tokenizer);
      throw inputError("this policy has no chat template; send a text or token prompt");
  }
}

function completion(
  request: CompletionRequest,
  { finishReason, ...sampled }: SampleResult,
  tokenizer: Tokenizer,
  model: ModelIdentity,
): Completion {
  if (finishReason === "aborted") throw new LaconicError("aborted", "the request was aborted");
  const ends = endTokens(tokenizer);
  const decode = (tokens: readonly number[]): string =>
    tokenizer.decode(tokens.filter((token) => !ends.includes(token)));
  const { text, stopped, trace } = endAtStop(sampled, request.sampling.stop ?? [], decode);
  return {
    text,
    finishReason: stopped ? "stop" : finishReason,
    usage: { promptTokens: trace.promptTokens.length, completionTokens: trace.tokens.length, counted: "model" },
    model,
    trace,
  };
}

const cache = new WeakMap<Tokenizer, TokenBytes>();

function tokenBytesOf(tokenizer: Tokenizer): TokenBytes {
  const tokenBytes = tokenizer.tokenBytes?.();
  if (tokenBytes) return tokenBytes;
  const bytes = cache.get(tokenizer) ?? decodeEach(tokenizer);
  cache.set(tokenizer, bytes);
  return bytes;
}

function decodeEach(tokenizer: Tokenizer): TokenBytes {
  const encoder = new TextEncoder();
  const pieces = Array.from({ length: tokenizer.vocabularySize }, (_, token) =>
    encoder.encode(tokenizer.decode([token])),
  );
  const offsets = new Int32Array(pieces.length + 1);
  pieces.forEach((piece, token) => (offsets[token + 1] = offsets[token]! + piece.length));
  const bytes = new Uint8Array(offsets.at(-1)!);
  pieces.forEach((piece, token) => bytes.set(piece, offsets[token]));
  return { bytes, offsets, dropsFirstSpace: false };
}

/**
 * Cuts a reply at its first stop text, also one that only the decoder can find.
 * @param decode - text of the first tokens
 * @returns the text before it, and the trace up to the token that completes it
 */
function endAtStop(
  trace: TokenTrace,
  stops: readonly string[],
  decode: (tokens: readonly number[]) => string,
): { readonly text: string; readonly stopped: boolean; readonly trace: TokenTrace } {
  const whole = decode(trace.tokens);
  if (firstStop(whole, stops) === null) return { text: whole, stopped: false, trace };
  // Binary search for the shortest prefix with a stop text.
  let without = 0;
  let within = trace.tokens.length;
  while (within - without > 1) {
    const middle = (without + within) >> 1;
    if (firstStop(decode(trace.tokens.slice(0, middle)), stops) === null) without = middle;
    else within = middle;
  }
  const ended = beginning(trace, within);
  const text = decode(ended.tokens);
  return { text: text.slice(0, firstStop(text, stops) ?? text.length), stopped: true, trace: ended };
}

function firstStop(text: string, stops: readonly string[]): number | null {
  const positions = stops.map((stop) => (stop === "" ? -1 : text.indexOf(stop))).filter((position) => position >= 0);
  return positions.length === 0 ? null : Math.min(...positions);
}

function beginning(trace: TokenTrace, length: number): TokenTrace {
  if (length === trace.tokens.length) return trace;
  const { tokens, logProbs, atOne } = trace;
  return {
    promptTokens: trace.promptTokens,
    tokens: tokens.slice(0, length),
    logProbs: logProbs.slice(0, length),
    ...(atOne && { atOne: atOne.slice(0, length) }),
  };
}

/**
 * Encodes a chat with the sampled tokens of earlier replies, because another tokenization would lose the shared
 * prefix. Falls back to the plain encoding if the template changes a reply or the text before it.
 * @param ownReplies - oldest first
 */
export function chatTokens(
  messages: readonly ChatMessage[],
  ownReplies: readonly OwnReply[],
  tokenizer: Pick<ChatTokenizer, "encodeChat" | "decode" | "endTokens">,
): readonly number[] {
  const whole = tokenizer.encodeChat(messages);
  const location = lastReply(messages, ownReplies);
  if (!location) return whole;
  const { index, reply } = location;
  const before = messages.slice(0, index);
  const asked = tokenizer.encodeChat(before);
  const isEnd = (token: number): boolean => tokenizer.endTokens.includes(token);
  const ends = whole.flatMap((token, i) => (isEnd(token) ? [i] : []));
  const end = ends[asked.filter(isEnd).length];
  const { text } = ownReplies[reply]!;
  const drawn = saidTokens(ownReplies[reply]!, tokenizer, isEnd);
  if (end === undefined || !drawn) return whole;
  const differs = asked.findIndex((token, i) => token !== whole[i]);
  // Text before a reply may merge with it; control tokens must not change.
  const isSame =
    tokenizer.decode(whole.slice(0, end)) === tokenizer.decode(asked) + text &&
    (differs < 0 || asked.slice(differs).every((token) => tokenizer.decode([token]) !== ""));
  return isSame ? [...chatTokens(before, ownReplies.slice(0, reply), tokenizer), ...drawn, ...whole.slice(end)] : whole;
}

function lastReply(
  messages: readonly ChatMessage[],
  ownReplies: readonly OwnReply[],
): { readonly index: number; readonly reply: number } | null {
  for (let index = messages.length - 1; index > 0; index--) {
    const { role, content } = messages[index]!;
    if (role !== "assistant") continue;
    const reply = ownReplies.findLastIndex(({ text }) => text === content);
    if (reply >= 0) return { index, reply };
  }
  return null;
}

/** Longest prefix of the tokens that decodes to the text; null if none does. */
function saidTokens(
  { text, tokens }: OwnReply,
  tokenizer: Pick<ChatTokenizer, "decode">,
  isEnd: (token: number) => boolean,
): readonly number[] | null {
  const last = tokens.at(-1);
  let written = last !== undefined && isEnd(last) ? tokens.slice(0, -1) : tokens;
  for (; written.length > 0; written = written.slice(0, -1)) if (tokenizer.decode(written) === text) return written;
  return text === "" ? written : null;
}

export interface Sampled {
  readonly result: SampleResult;
  readonly weightVersion: number;
}

export type SampleOne = (request: SampleRequest, onToken?: (drawn: DrawnToken) => void) => Promise<Sampled>;

function sampleAtOnce(sampler: Sampler): SampleOne {
  return async (request, onToken) => {
    const { weightVersion } = sampler;
    const [result] = await sampler.sample([request], onToken && ((_, drawn) => onToken(drawn)));
    return { result: result!, weightVersion };
  };
}

interface Waiting {
  readonly request: SampleRequest;
  readonly onToken: ((drawn: DrawnToken) => void) | undefined;
  resolve(sampled: Sampled): void;
  reject(error: unknown): void;
}

/** Requests during a wave form the next, in call order. Batches do not depend on time. */
function sampleInWaves(sampler: Sampler): SampleOne {
  let waiting: Waiting[] = [];
  let busy = false;

  const serve = async (): Promise<void> => {
    busy = true;
    for (;;) {
      await quiet(() => waiting.length);
      const wave = waiting.filter(({ request }) => !request.signal?.aborted);
      waiting = [];
      if (wave.length === 0) break;
      await serveWave(wave);
    }
    busy = false;
  };
  const serveWave = async (wave: readonly Waiting[]): Promise<void> => {
    const { weightVersion } = sampler;
    try {
      const listens = wave.some(({ onToken }) => onToken);
      const results = await sampler.sample(
        wave.map(({ request }) => request),
        listens ? (index, drawn) => wave[index]?.onToken?.(drawn) : undefined,
      );
      wave.forEach(({ resolve }, i) => resolve({ result: results[i]!, weightVersion }));
    } catch (error) {
      const culprit = refusedRequest(error, wave.length);
      if (culprit === null) return wave.forEach(({ reject }) => reject(error));
      wave[culprit]!.reject(error);
      const others = wave.filter((_, i) => i !== culprit);
      if (others.length > 0) await serveWave(others);
    }
  };

  return (request, onToken) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, onToken, resolve, reject });
      if (!busy) void serve();
    });
}

/** Waits until the count is stable for a turn of the event loop. */
async function quiet(count: () => number): Promise<void> {
  let before: number;
  do {
    before = count();
    await nextTurn();
  } while (count() !== before);
}

/** Index of the rejected request; null if unknown. */
function refusedRequest(error: unknown, requests: number): number | null {
  if (!LaconicError.is(error) || error.code !== "input_invalid") return null;
  const index = error.detail["request"];
  return typeof index === "number" && index < requests ? index : null;
}
