import {
  LaconicError,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type Prompt,
  type SampleRequest,
  type SampleResult,
  type Sampler,
  type Tokenizer,
} from "@laconic/core";

interface Waiting {
  readonly request: CompletionRequest;
  readonly sample: SampleRequest;
  resolve(completion: Completion): void;
  reject(error: unknown): void;
}

/**
 * A language model over a sampler. Requests made in the same turn of the event loop, by any number of episodes, are
 * served as one batch.
 */
export function localPolicy(options: {
  readonly id: string;
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
}): LanguageModel {
  const { id, sampler, tokenizer } = options;
  let waiting: Waiting[] = [];

  const flush = async (): Promise<void> => {
    const batch = waiting.filter(({ request }) => !request.signal?.aborted);
    waiting = [];
    const weightVersion = sampler.weightVersion;
    try {
      const results = await sampler.sample(batch.map(({ sample }) => sample));
      batch.forEach(({ request, resolve }, i) =>
        resolve(completion(request, results[i] as SampleResult, tokenizer, { id, weightVersion })),
      );
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  return {
    id,
    complete: (request) =>
      new Promise((resolve, reject) => {
        const abort = (): void => reject(new LaconicError("aborted", "the request was aborted"));
        if (request.signal?.aborted) return abort();
        const sample = sampleRequest(request, tokenizer);
        const settle =
          <T>(done: (value: T) => void) =>
          (value: T): void => {
            request.signal?.removeEventListener("abort", abort);
            done(value);
          };
        request.signal?.addEventListener("abort", abort, { once: true });
        waiting.push({ request, sample, resolve: settle(resolve), reject: settle(reject) });
        // Episodes that go on in this turn add their requests before the batch leaves.
        if (waiting.length === 1) setImmediate(() => void flush());
      }),
  };
}

function sampleRequest(request: CompletionRequest, tokenizer: Tokenizer): SampleRequest {
  const { stop = [], ...sampling } = request.sampling;
  return {
    promptTokens: promptTokens(request.prompt, tokenizer),
    sampling,
    stopTokens: [tokenizer.endToken],
    stopSequences: stop.flatMap((text) => spellStop(text, tokenizer)),
    random: request.random,
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

function promptTokens(prompt: Prompt, tokenizer: Tokenizer): readonly number[] {
  switch (prompt.kind) {
    case "tokens":
      return prompt.tokens;
    case "text":
      return tokenizer.encode(prompt.text);
    case "messages":
      throw new LaconicError("input_invalid", "this policy has no chat template; send a text or token prompt");
  }
}

function completion(
  request: CompletionRequest,
  result: SampleResult,
  tokenizer: Tokenizer,
  model: Completion["model"],
): Completion {
  const text = tokenizer.decode(result.tokens.filter((token) => token !== tokenizer.endToken));
  const stops = (request.sampling.stop ?? []).map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  const cut = Math.min(text.length, ...stops);
  return {
    text: text.slice(0, cut),
    finishReason: result.finishReason,
    usage: { promptTokens: result.promptTokens.length, completionTokens: result.tokens.length, counted: "model" },
    model,
    trace: { promptTokens: result.promptTokens, tokens: result.tokens, logProbs: result.logProbs },
  };
}
