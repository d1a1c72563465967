import {
  type BaseSource,
  type Engine,
  inputError,
  raggedRow,
  randomFromSeed,
  type Sampler,
  type SampleResult,
  type Sampling,
  type TokenBytes,
  type TrainableModel,
} from "@laconic/core";

import type { ServerFault } from "./faults.ts";
import { lieOf } from "./lies.ts";

/** Options of a fake server. */
export interface FakeServerOptions {
  readonly engine: Engine;
  readonly base: BaseSource;
  /** Bytes of tokens, for stop texts. */
  readonly tokenBytes?: TokenBytes;
  /** Log-probs of the sampled distribution, or of the model at temperature 1. Default `processed`. */
  readonly logProbs?: "processed" | "raw";
  readonly contextLength?: number;
  /** Whether the server accepts weights at runtime. Default true. */
  readonly updates?: boolean;
}

export interface AskedReply extends Sampling {
  readonly weights: string | null;
  readonly promptTokens: readonly number[];
  readonly maxTokens: number;
  readonly seed: number;
  readonly stopTokens: readonly number[];
  readonly stopTexts: readonly string[];
}

export class ServedWeights {
  readonly #options: FakeServerOptions;
  readonly #adapters = new Map<string, TrainableModel>();
  #allWeights: Promise<TrainableModel>;
  readonly #given: SampleResult[] = [];
  version = "default";

  constructor(options: FakeServerOptions) {
    this.#options = options;
    this.#allWeights = options.engine.createModel(options.base);
  }

  get names(): readonly string[] {
    return [...this.#adapters.keys()];
  }

  has(name: string): boolean {
    return this.#adapters.has(name);
  }

  async loadAdapter(name: string, path: string): Promise<void> {
    const { engine, base } = this.#options;
    this.#adapters.set(name, await engine.createModel({ kind: "adapter-folder", base, path }));
  }

  async unload(name: string): Promise<void> {
    const model = this.#adapters.get(name);
    this.#adapters.delete(name);
    await model?.dispose();
  }

  async loadAll(path: string, version: string): Promise<void> {
    const made = await this.#options.engine.createModel({ kind: "folder", path });
    const before = this.#allWeights;
    this.#allWeights = Promise.resolve(made);
    this.version = version;
    await (await before).dispose();
  }

  async forget(): Promise<void> {
    const { engine, base } = this.#options;
    for (const name of this.names) await this.unload(name);
    if (this.version !== "default") this.#allWeights = engine.createModel(base);
    this.version = "default";
  }

  async reply(asked: AskedReply, fault: ServerFault | null): Promise<SampleResult> {
    const sampler = await this.#sampler(asked.weights, fault?.kind === "stale");
    const reply = await this.#generated(asked, sampler);
    const prompt = asked.promptTokens.join();
    // Checks cannot detect a swap of one token, which may be as likely after another prompt.
    const other =
      this.#given.find(({ promptTokens, tokens }) => tokens.length > 2 && promptTokens.join() !== prompt) ?? null;
    this.#given.unshift(reply);
    if (this.#given.length > 16) this.#given.pop();
    return fault?.kind === "lies"
      ? lieOf(fault.how, reply, { ...asked, ...fault, sampler, other })
      : marred(reply, fault);
  }

  async #generated(asked: AskedReply, sampler: Sampler): Promise<SampleResult> {
    const { weights: _, promptTokens, seed, stopTokens, stopTexts, ...sampling } = asked;
    const { temperature } = sampling;
    const { tokenBytes, logProbs = "processed" } = this.#options;
    if (stopTexts.length > 0 && !tokenBytes) throw inputError("stop texts need tokenBytes of the fake server");
    const [result] = await sampler.sample([
      {
        promptTokens,
        sampling,
        stopTokens,
        ...(stopTexts.length > 0 && tokenBytes && { stopTexts: { texts: stopTexts, tokenBytes } }),
        random: randomFromSeed(seed).state(),
      },
    ]);
    const reply = result as SampleResult;
    if (logProbs === "processed" || temperature === 0 || temperature === 1) return reply;
    const { logProbs: raw } = await sampler.forward([{ promptTokens, completionTokens: reply.tokens }]);
    return { ...reply, logProbs: [...raggedRow(raw, 0)] };
  }

  /** Log-probs of all tokens but the first, at temperature 1. */
  async promptLogProbs(weights: string | null, tokens: readonly number[], stale: boolean): Promise<number[]> {
    const sampler = await this.#sampler(weights, stale);
    const { logProbs } = await sampler.forward([
      { promptTokens: tokens.slice(0, 1), completionTokens: tokens.slice(1) },
    ]);
    return [...raggedRow(logProbs, 0)];
  }

  async #sampler(name: string | null, stale: boolean): Promise<Sampler> {
    if (name === null) return this.#allWeights;
    const oldest = [...this.#adapters.values()][0];
    const named = this.#adapters.get(name);
    if (!named) throw inputError(`no ${name}`);
    if (!stale || !oldest) return named;
    return oldest === named ? this.#allWeights : oldest;
  }
}

function marred(reply: SampleResult, fault: ServerFault | null): SampleResult {
  if (fault?.kind === "wrong-tokens") return { ...reply, tokens: reply.tokens.map((token) => token + 1_000_000) };
  if (fault?.kind === "not-finite") return { ...reply, logProbs: reply.logProbs.map(() => -9999) };
  if (fault?.kind === "other-prompt") return { ...reply, promptTokens: [...reply.promptTokens, 0] };
  return reply;
}
