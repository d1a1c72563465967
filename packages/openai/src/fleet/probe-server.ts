import { LaconicError, raggedRow, randomFromSeed, type Sampler } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import { checkReply } from "./reply-checks.ts";
import { checkGap, replicaRequests, severalServers, type GeneratedReply } from "./servers/sampling-server.ts";
import type { Generation, PublishedWeights, SamplingServer } from "./servers/sampling-server.ts";

/** Probe result of one server; stored with the run. */
export interface ServerRecord {
  readonly kind: string;
  readonly url: string;
  readonly version: string | null;
  readonly contextLength: number | null;
  /** Sampled distribution, or the model's at temperature 1 (vLLM's `raw_logprobs`). */
  readonly logProbsAt: "sampling" | "one";
  /** |server - trainer| log-prob per token with equal weights. */
  readonly gap: { readonly mean: number; readonly max: number; readonly tokens: number };
  /** Mean gap of the check text: random tokens have larger rounding errors. */
  readonly checkGap: number;
  /** Whether the same request gave the same reply twice. Informative only: batching servers often differ. */
  readonly repeats: boolean;
}

/** Options of `probeServer`. */
export interface ProbeOptions {
  readonly vocabularySize: number;
  /** Mean |server - trainer| log-prob per token. Default 0.1; bfloat16 against float32 gives about 0.01. */
  readonly tolerance?: number;
  /** Accepts log-probs at temperature 1: they are sampled or computed locally. */
  readonly takesRaw?: boolean;
  readonly limit?: () => AbortSignal;
}

const checkOptions = optionCheck<ProbeOptions>()("probeServer", "vocabularySize tolerance takesRaw limit");

/** Far enough from 1 that log-probs at the two temperatures differ. */
const sharp = 0.5;
const replyTokens = 8;
/** Max gap of a prompt, in tolerances: unlikely tokens have larger rounding errors. */
const maxCheckGaps = 10;

/**
 * Checks that replies can be trained on: token ids are echoed, log-probs match, stop tokens are included, and unknown
 * weight names are rejected.
 * @param ref - the same weights on the trainer's engine
 * @throws LaconicError `api_refused` with the server and the difference; `api_unavailable`
 */
export async function probeServer(
  server: SamplingServer,
  weights: PublishedWeights,
  ref: Pick<Sampler, "forward">,
  options: ProbeOptions,
): Promise<ServerRecord> {
  checkOptions(options);
  const probe = new Probe(server, weights, ref, options);
  if (server.holds[weights.kind] === 0)
    throw probe.refusal(`${server.kind} cannot load ${weights.kind === "all" ? "full weights" : "adapters"}`);
  const answer = await server.facts(options.limit?.());
  await probe.checkOneServer();
  await server.load(weights, options.limit?.());
  const plain = await probe.askAll(1);
  const gap = await probe.gapAt(plain, 1);
  const { tolerance = 0.1 } = options;
  if (!(gap.mean <= tolerance))
    throw probe.refusal(
      `its log-probs differ from the trainer's by ${gap.mean.toPrecision(3)} (mean of ${gap.tokens} tokens, limit ${tolerance}): other weights, another model, or another prompt`,
    );
  const again = await probe.ask({ temperature: 1 });
  const logProbsAt = await probe.temperatureOfLogProbs();
  await probe.checkStopTokens();
  if (weights.kind === "adapter") await probe.checkUnknownName();
  const repeats = again.tokens.join() === plain[0]?.tokens.join();
  const { kind, url } = server;
  return { kind, url, ...answer, logProbsAt, gap, checkGap: await probe.promptGap(), repeats };
}

class Probe {
  readonly #server: SamplingServer;
  readonly #weights: PublishedWeights;
  readonly #ref: Pick<Sampler, "forward">;
  readonly #options: Required<Omit<ProbeOptions, "limit">>;
  readonly #prompts: readonly (readonly number[])[];
  readonly #limit: () => AbortSignal | undefined;

  constructor(server: SamplingServer, weights: PublishedWeights, ref: Pick<Sampler, "forward">, options: ProbeOptions) {
    const { vocabularySize, tolerance = 0.1, takesRaw = false } = options;
    this.#server = server;
    this.#weights = weights;
    this.#ref = ref;
    this.#options = { vocabularySize, tolerance, takesRaw };
    const random = randomFromSeed("fleet probe");
    this.#prompts = [0, 1, 2].map(() => Array.from({ length: 8 }, () => random.integer(vocabularySize)));
    this.#limit = () => options.limit?.();
  }

  refusal(reason: string): LaconicError {
    const { url } = this.#server;
    return new LaconicError("api_refused", `${url}: ${reason}`, { server: url });
  }

  /** Detects replicas behind one address: only one of them has loaded the weights. */
  async checkOneServer(): Promise<void> {
    const weights = { ...this.#weights, name: `${this.#weights.name}-once` };
    await this.#server.load(weights, this.#limit());
    // Concurrent, so that they use several connections.
    const answers = await Promise.all(Array.from({ length: replicaRequests }, () => this.#askOne(weights)));
    if (weights.kind === "adapter") await this.#server.unload(weights.name, this.#limit());
    const served = answers.filter((answer) => answer !== "missing" && [null, weights.name].includes(answer.weights));
    if (served.length > 0 && served.length < replicaRequests) throw this.refusal(severalServers(served.length));
  }

  async temperatureOfLogProbs(): Promise<ServerRecord["logProbsAt"]> {
    const replies = await this.askAll(sharp);
    const [sampled, raw] = [await this.gapAt(replies, sharp), await this.gapAt(replies, 1)];
    if (!(Math.min(sampled.mean, raw.mean) <= this.#options.tolerance))
      throw this.refusal(`its log-probs at temperature ${sharp} match neither that temperature nor 1`);
    if (sampled.mean <= raw.mean) return "sampling";
    if (this.#options.takesRaw) return "one";
    throw this.refusal(
      `it always reports log-probs at temperature 1; ${this.#server.remedyForRaw}, or compute them locally (logProbs: "forward")`,
    );
  }

  async checkStopTokens(): Promise<void> {
    const greedy = await this.ask({ temperature: 0 });
    const stop = greedy.tokens[Math.min(2, greedy.tokens.length - 1)]!;
    const end = greedy.tokens.indexOf(stop) + 1;
    const stopped = await this.ask({ temperature: 0, stopTokens: [stop] });
    if (stopped.tokens.length !== end || stopped.finishReason !== "stop")
      throw this.refusal(
        `a stop token at ${end} of a greedy reply gave ${stopped.tokens.length} tokens, finished by ${stopped.finishReason}: stop tokens must end a reply and be included`,
      );
  }

  async checkUnknownName(): Promise<void> {
    const name = `${this.#weights.name}-never`;
    if ((await this.#askOne({ ...this.#weights, name })) !== "missing")
      throw this.refusal(`it answers for ${name}, which was never loaded, so versions cannot be checked`);
  }

  async promptGap(): Promise<number> {
    const { check } = this.#weights;
    if (!check) return 0;
    const gap = checkGap(check, await this.#server.promptLogProbs(this.#weights, check.tokens, this.#limit()));
    if (gap <= maxCheckGaps * this.#options.tolerance) return gap;
    const reported = Number.isNaN(gap) ? "missing" : `off by ${gap.toPrecision(3)}`;
    throw this.refusal(`its log-probs of a prompt are ${reported}, so loaded weights cannot be checked`);
  }

  #askOne(weights: PublishedWeights): Promise<GeneratedReply | "missing"> {
    const [promptTokens = []] = this.#prompts;
    const sampling = { temperature: 0, maxTokens: 1 };
    const asked = { promptTokens, stopTokens: [], stopTexts: [], seed: 1, sampling };
    return this.#server.generate(weights, asked, this.#limit());
  }

  askAll(temperature: number): Promise<GeneratedReply[]> {
    return Promise.all(this.#prompts.map((promptTokens) => this.ask({ promptTokens, temperature })));
  }

  async ask({
    temperature,
    promptTokens = this.#prompts[0] ?? [],
    stopTokens = [],
  }: Partial<Pick<Generation, "promptTokens" | "stopTokens">> & {
    readonly temperature: number;
  }): Promise<GeneratedReply> {
    const sampling = { temperature, maxTokens: replyTokens };
    const asked: Generation = { promptTokens, sampling, stopTokens, stopTexts: [], seed: 7 };
    const reply = await this.#server.generate(this.#weights, asked, this.#limit());
    if (reply === "missing") throw this.refusal(`${this.#weights.name} is missing right after loading`);
    try {
      checkReply(this.#server, this.#weights, asked, reply, this.#options.vocabularySize);
    } catch (error) {
      throw this.refusal((error as Error).message.replace(`${this.#server.url}: `, ""));
    }
    return reply;
  }

  async gapAt(replies: readonly GeneratedReply[], temperature: number): Promise<ServerRecord["gap"]> {
    const { logProbs } = await this.#ref.forward(
      replies.map(({ tokens: completionTokens }, i) => ({
        promptTokens: this.#prompts[i] ?? [],
        completionTokens,
        temperature,
      })),
    );
    const gaps = replies.flatMap((reply, i) => {
      const expected = raggedRow(logProbs, i);
      return reply.logProbs.map((value, t) => Math.abs(value - expected[t]!));
    });
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    return { mean, max: Math.max(...gaps), tokens: gaps.length };
  }
}
