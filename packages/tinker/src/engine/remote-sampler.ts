import {
  LaconicError,
  randomFromState,
  type ForwardOptions,
  type SampleRequest,
  type SampleResult,
  type SequenceLogProbs,
  type TokenListener,
  type TrainingSequence,
} from "@laconic/core";
import { refuseRequest, stopEnd } from "@laconic/core/backends";
import { lostError } from "../client/future.ts";
import type { TinkerEngineOptions } from "./engine-options.ts";
import { estimated, expectForward } from "./wire-sequences.ts";

export class RemoteSampler {
  readonly #id: string;
  readonly #options: TinkerEngineOptions;
  readonly #isCurrent: () => boolean;

  constructor(id: string, options: TinkerEngineOptions, isCurrent: () => boolean) {
    this.#id = id;
    this.#options = options;
    this.#isCurrent = isCurrent;
  }

  sample(requests: readonly SampleRequest[], onToken?: TokenListener): Promise<SampleResult[]> {
    this.#expectFresh();
    requests.forEach((request, i) => expectSampling(request, i, this.#options));
    return Promise.all(
      requests.map(async (request, index) => {
        const result = await this.#draw(request);
        result.tokens.forEach((token, t) => onToken?.(index, { token, logProb: result.logProbs[t]! }));
        return result;
      }),
    );
  }

  /** Log-probs of completions as prompts; a sampler has no forward pass. */
  async logProbsOf(sequences: readonly TrainingSequence[], options: ForwardOptions): Promise<SequenceLogProbs> {
    this.#expectFresh();
    expectForward(sequences, options);
    const { record, client } = this.#options;
    if (record.promptLogProbs === "none")
      throw new LaconicError("model_unsupported", "older weights need prompt log-probs; the server reports none");
    const rows = await Promise.all(
      sequences.map(async ({ promptTokens, completionTokens }) => {
        if (completionTokens.length === 0) return [];
        const tokens = [...promptTokens, ...completionTokens];
        const { prompt_logprobs } = await client.sample(this.#id, tokens, { maxTokens: 1 }, { promptLogProbs: true });
        const values = (prompt_logprobs ?? []).slice(-completionTokens.length);
        const bad = values.findIndex((value) => !Number.isFinite(value));
        if (values.length === completionTokens.length && bad < 0) return values;
        const reason = `the server reported no log-prob of completion token ${Math.max(bad, 0)}`;
        throw new LaconicError("numeric_invalid", reason);
      }),
    );
    return estimated(rows);
  }

  async #draw(request: SampleRequest): Promise<SampleResult> {
    const { client } = this.#options;
    const { promptTokens, sampling, stopTokens, stopSequences = [], random, signal } = request;
    const nothing = { promptTokens, tokens: [], logProbs: [], finishReason: "aborted" as const };
    if (signal?.aborted) return nothing;
    const asked = { ...sampling, seed: randomFromState(random).integer(2 ** 31 - 1), stopTokens };
    try {
      const { sequences } = await client.sample(this.#id, promptTokens, asked, { signal });
      const [sequence] = sequences;
      const { tokens = [], logprobs, stop_reason } = sequence ?? {};
      const logProbs = logprobs ?? [];
      const bad = logProbs.findIndex((value) => !Number.isFinite(value));
      if (!sequence || logProbs.length !== tokens.length || bad >= 0) {
        const reason = `asample: got ${logProbs.length} log-probs for ${tokens.length} tokens`;
        throw new LaconicError("reply_malformed", reason, { tokens: tokens.length });
      }
      const end = stopEnd(tokens, stopSequences);
      return {
        promptTokens,
        tokens: tokens.slice(0, end ?? tokens.length),
        logProbs: logProbs.slice(0, end ?? tokens.length),
        finishReason: end !== null || stop_reason === "stop" ? "stop" : "length",
      };
    } catch (error) {
      if (signal?.aborted) return nothing;
      throw lostError(this.#options.client.transport, `sampler ${this.#id}`, error) ?? error;
    }
  }

  #expectFresh(): void {
    if (this.#isCurrent() || this.#options.record.samplers === "frozen") return;
    throw new LaconicError(
      "engine_failed",
      "this sampler is outdated: the server's samplers follow their model, which has stepped",
    );
  }
}

function expectSampling({ sampling, topLogProbs }: SampleRequest, request: number, options: TinkerEngineOptions): void {
  const refuse = (key: string, reason: string): LaconicError => refuseRequest(request, `${key} ${reason}`, { key });
  const { temperature } = sampling;
  if (topLogProbs !== undefined) throw refuse("topLogProbs", "is not supported by this protocol");
  if (temperature !== 1 && temperature !== 0 && options.record.sampledAt === "one")
    throw refuse("temperature", `is ${temperature}, but the server reports log-probs at temperature 1 only`);
}
