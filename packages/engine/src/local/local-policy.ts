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

interface Waiting {
  readonly request: CompletionRequest;
  readonly sample: SampleRequest;
  resolve(completion: Completion): void;
  reject(error: unknown): void;
}

/**
 * A language model over a sampler. Requests that any number of episodes make while it waits or samples are served
 * together as the next batch, in the order they were made.
 *
 * Stop texts are found in the decoded text, and end sampling early where the tokenizer spells them as the model did.
 * @throws LaconicError from `complete`: `aborted`, `input_invalid` for a chat prompt or one the model cannot take.
 */
export function localPolicy(options: {
  readonly id: string;
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer | ChatTokenizer;
}): LanguageModel {
  const { id, sampler, tokenizer } = options;
  let waiting: Waiting[] = [];
  let busy = false;

  /** Serves batch after batch until nobody waits. */
  const serve = async (): Promise<void> => {
    busy = true;
    for (;;) {
      await quiet(() => waiting.length);
      const batch = waiting.filter(({ request }) => !request.signal?.aborted);
      waiting = [];
      if (batch.length === 0) break;
      await serveBatch(batch);
    }
    busy = false;
  };
  const serveBatch = async (batch: readonly Waiting[]): Promise<void> => {
    const model = { id, weightVersion: sampler.weightVersion };
    try {
      const listens = batch.some(({ request }) => request.onToken);
      const results = await sampler.sample(
        batch.map(({ sample }) => sample),
        listens ? (place, token, logProb) => batch[place]?.request.onToken?.(token, logProb) : undefined,
      );
      batch.forEach(({ request, resolve }, i) =>
        resolve(completion(request, results[i] as SampleResult, tokenizer, model)),
      );
    } catch (error) {
      const culprit = refusedRequest(error, batch.length);
      if (culprit === null) return batch.forEach(({ reject }) => reject(error));
      // Episodes know nothing of each other: one that asks badly fails alone.
      (batch[culprit] as Waiting).reject(error);
      const others = batch.filter((_, i) => i !== culprit);
      if (others.length > 0) await serveBatch(others);
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
        if (!busy) void serve();
      }),
  };
}

/** Waits for a turn of the event loop in which the count stays: everybody who goes on now has asked. */
async function quiet(count: () => number): Promise<void> {
  let before: number;
  do {
    before = count();
    await new Promise((resolve) => setImmediate(resolve));
  } while (count() !== before);
}

/** Which request of the batch the sampler refused, where it says so before sampling anything. */
function refusedRequest(error: unknown, requests: number): number | null {
  if (!LaconicError.is(error) || error.code !== "input_invalid") return null;
  const index = error.detail["request"];
  return typeof index === "number" && index < requests ? index : null;
}

function sampleRequest(request: CompletionRequest, tokenizer: Tokenizer): SampleRequest {
  const { stop = [], ...sampling } = request.sampling;
  return {
    promptTokens: promptTokens(request.prompt, tokenizer),
    sampling,
    stopTokens: endTokens(tokenizer),
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
  { promptTokens: prompt, tokens, logProbs, finishReason }: SampleResult,
  tokenizer: Tokenizer,
  model: ModelIdentity,
): Completion {
  const ends = endTokens(tokenizer);
  const text = tokenizer.decode(tokens.filter((token) => !ends.includes(token)));
  const stops = (request.sampling.stop ?? []).map((stop) => (stop === "" ? -1 : text.indexOf(stop)));
  const cut = Math.min(text.length, ...stops.filter((at) => at >= 0));
  return {
    text: text.slice(0, cut),
    finishReason: cut < text.length ? "stop" : finishReason,
    usage: { promptTokens: prompt.length, completionTokens: tokens.length, counted: "model" },
    model,
    trace: { promptTokens: prompt, tokens, logProbs },
  };
}
