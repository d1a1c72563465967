import {
  LaconicError,
  type ChatTokenizer,
  type Completion,
  type CompletionRequest,
  type EngineCapabilities,
  type LanguageModel,
  type ModelIdentity,
  type SampleRequest,
  type SampleResult,
  type Sampler,
  type Tokenizer,
  type TokenBytes,
} from "@laconic/core";
import { chatTokens } from "./chat-tokens.ts";
import { endAtStop } from "./end-at-stop.ts";
import { sampleAtOnce, sampleInWaves } from "./sampling-waves.ts";

/** When a request joins others, as `localPolicy` has it. */
export type Batching = "waves" | "continuous";

/**
 * How a run that is to repeat itself lets requests join. At once where a reply does not depend on its neighbours, so that
 * nobody waits for the slowest, and where nothing repeats bit for bit anyway; in waves where a run repeats itself only if
 * the same requests share a batch, and on remote engines, which batch by themselves.
 */
export function repeatableBatching({
  kind,
  deterministic,
  batchInvariant,
}: Pick<EngineCapabilities, "kind" | "deterministic" | "batchInvariant">): Batching {
  return kind === "local" && (batchInvariant || !deterministic) ? "continuous" : "waves";
}

/**
 * A language model over a sampler.
 *
 * A reply ends with the token that completes a stop text, which may lie across tokens: trace and usage include that token,
 * the text ends before the stop text.
 *
 * @param options.batching - `waves`: requests that any number of episodes make while a batch is sampled are served
 * together as the next one, so a run repeats itself on every device. `continuous`: each joins the running batch at once, as
 * a server wants it, and a run where `repeatableBatching` says so.
 * @throws LaconicError from `complete`: `aborted`, `input_invalid` for a chat prompt or one the model cannot take.
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
    ...(sampler.supports && { supports: sampler.supports }),
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

/** A prompt's log-probs, by one pass and no sampling. */
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
    ...(topLogProbs !== undefined && { topLogProbs }),
    ...(conversation !== undefined && { conversation }),
    ...(signal && { signal }),
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
      throw new LaconicError("input_invalid", "this policy has no chat template; send a text or token prompt");
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

const known = new WeakMap<Tokenizer, TokenBytes>();

/** What each token of a vocabulary adds to a text: as the tokenizer says, or as each decodes alone. */
function tokenBytesOf(tokenizer: Tokenizer): TokenBytes {
  const own = tokenizer.tokenBytes?.();
  if (own) return own;
  const found = known.get(tokenizer) ?? decodeEach(tokenizer);
  known.set(tokenizer, found);
  return found;
}

function decodeEach(tokenizer: Tokenizer): TokenBytes {
  const encoder = new TextEncoder();
  const pieces = Array.from({ length: tokenizer.vocabularySize }, (_, token) =>
    encoder.encode(tokenizer.decode([token])),
  );
  const offsets = new Int32Array(pieces.length + 1);
  pieces.forEach((piece, token) => (offsets[token + 1] = (offsets[token] as number) + piece.length));
  const bytes = new Uint8Array(offsets.at(-1) as number);
  pieces.forEach((piece, token) => bytes.set(piece, offsets[token]));
  return { bytes, offsets, dropsFirstSpace: false };
}
