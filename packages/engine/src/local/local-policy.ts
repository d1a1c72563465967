import {
  LaconicError,
  type ChatTokenizer,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type ModelIdentity,
  type Prompt,
  type SampleRequest,
  type SampleResult,
  type Sampler,
  type Tokenizer,
} from "@laconic/core";
import { sampleAtOnce, sampleInWaves } from "./sampling-waves.ts";

/**
 * A language model over a sampler.
 *
 * Stop texts are found in the decoded text, and end sampling early where the tokenizer spells them as the model did.
 *
 * @param options.batching - `waves`: requests that any number of episodes make while a batch is sampled are served
 * together as the next one, so a run repeats itself on every device. `continuous`: each joins the running batch at once, as
 * a server wants it.
 * @throws LaconicError from `complete`: `aborted`, `input_invalid` for a chat prompt or one the model cannot take.
 */
export function localPolicy(options: {
  readonly id: string;
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer | ChatTokenizer;
  readonly batching?: "waves" | "continuous";
}): LanguageModel {
  const { id, sampler, tokenizer, batching = "waves" } = options;
  const sample = batching === "waves" ? sampleInWaves(sampler) : sampleAtOnce(sampler);
  return {
    id,
    complete: (request) =>
      new Promise((resolve, reject) => {
        const { signal, onToken } = request;
        const abort = (): void => reject(new LaconicError("aborted", "the request was aborted"));
        if (signal?.aborted) return abort();
        const sampled = sample(sampleRequest(request, tokenizer), onToken);
        signal?.addEventListener("abort", abort, { once: true });
        sampled
          .then(({ result, weightVersion }) => resolve(completion(request, result, tokenizer, { id, weightVersion })))
          .catch(reject)
          .finally(() => signal?.removeEventListener("abort", abort));
      }),
  };
}

function sampleRequest(request: CompletionRequest, tokenizer: Tokenizer): SampleRequest {
  const { stop = [], ...sampling } = request.sampling;
  const { topLogProbs, conversation, signal } = request;
  return {
    promptTokens: promptTokens(request.prompt, tokenizer),
    sampling,
    stopTokens: endTokens(tokenizer),
    stopSequences: stop.flatMap((text) => spellStop(text, tokenizer)),
    random: request.random,
    ...(topLogProbs !== undefined && { topLogProbs }),
    ...(conversation !== undefined && { conversation }),
    ...(signal && { signal }),
  };
}

/** A stop text that the vocabulary cannot spell can never be written. */
function spellStop(text: string, tokenizer: Tokenizer): number[][] {
  try {
    return [tokenizer.encode(text)];
  } catch (error) {
    if (LaconicError.is(error) && error.code === "input_invalid") return [];
    throw error;
  }
}

function endTokens(tokenizer: Tokenizer | ChatTokenizer): readonly number[] {
  return "endTokens" in tokenizer ? tokenizer.endTokens : [tokenizer.endToken];
}

function promptTokens(prompt: Prompt, tokenizer: Tokenizer | ChatTokenizer): readonly number[] {
  switch (prompt.kind) {
    case "tokens":
      return prompt.tokens;
    case "text":
      return tokenizer.encode(prompt.text);
    case "messages":
      if ("encodeChat" in tokenizer) return tokenizer.encodeChat(prompt.messages);
      throw new LaconicError("input_invalid", "this policy has no chat template; send a text or token prompt");
  }
}

function completion(
  request: CompletionRequest,
  { finishReason, ...trace }: SampleResult,
  tokenizer: Tokenizer,
  model: ModelIdentity,
): Completion {
  if (finishReason === "aborted") throw new LaconicError("aborted", "the request was aborted");
  const { promptTokens: prompt, tokens } = trace;
  const ends = endTokens(tokenizer);
  const text = tokenizer.decode(tokens.filter((token) => !ends.includes(token)));
  const stops = (request.sampling.stop ?? []).map((stop) => (stop === "" ? -1 : text.indexOf(stop)));
  const cut = Math.min(text.length, ...stops.filter((at) => at >= 0));
  return {
    text: text.slice(0, cut),
    finishReason: cut < text.length ? "stop" : finishReason,
    usage: { promptTokens: prompt.length, completionTokens: tokens.length, counted: "model" },
    model,
    trace,
  };
}
