import { LaconicError, raggedRow, randomFromSeed, type Sampler } from "@laconic/core";
import { optionCheck } from "@laconic/core/wire";
import { checkReply } from "../fleet/check-reply.ts";
import {
  checkGap,
  type Generation,
  type GeneratedReply,
  type PublishedWeights,
  type SamplingServer,
  type ServerFacts,
} from "../servers/sampling-server.ts";
import type { ServerRecord } from "./probe-record.ts";

/** What a probe asks with. */
export interface ProbeOptions {
  readonly vocabularySize: number;
  /** Prompts of token ids; three of eight random tokens by default. */
  readonly prompts?: readonly (readonly number[])[];
  /** Max mean |server's - trainer's| log-prob of a token; 0.1 by default. bfloat16 against float32 is some 0.01. */
  readonly tolerance?: number;
  /** Log-probs at temperature 1 will do: they are computed here, or no other temperature is sampled, which is then refused. */
  readonly takesRaw?: boolean;
  /** Ends a request of the probe that is not answered in time. */
  readonly limit?: () => AbortSignal;
}

const checkOptions = optionCheck<ProbeOptions>()("probeServer", "vocabularySize prompts tolerance takesRaw limit");

/** Far enough from 1 that log-probs of one temperature are not those of the other. */
const sharp = 0.5;
const replyTokens = 8;
/** Where two replicas take turns at random, all meet one of them once in 128 probes. */
const replicaRequests = 8;
/** Rounding of unlikely tokens is so much larger at most. */
const maxCheckGaps = 10;

/**
 * Finds out whether a server's replies can be trained on: token ids come back as they were sent, log-probs are those of the
 * trainer's own engine, at which temperature they are, whether stop tokens end a reply and are kept, and whether a name that
 * was never loaded is refused.
 * @param own - the same weights on the trainer's engine
 * @throws LaconicError `api_refused` naming the server and what it does otherwise; `api_unavailable`
 */
export async function probeServer(
  server: SamplingServer,
  weights: PublishedWeights,
  own: Pick<Sampler, "forward">,
  options: ProbeOptions,
): Promise<ServerRecord> {
  checkOptions(options);
  if (server.holds[weights.kind] === 0)
    throw refusalOf(server, `${server.kind} does not take ${weights.kind === "all" ? "all weights" : "adapters"}`);
  const facts = await server.facts(options.limit?.());
  const probe = new ServerProbe(server, weights, own, options);
  await probe.checkOneServer();
  await server.load(weights, options.limit?.());
  return probe.run(facts);
}

/** The questions of a probe; each refuses the server by name. */
class ServerProbe {
  readonly #server: SamplingServer;
  readonly #weights: PublishedWeights;
  readonly #own: Pick<Sampler, "forward">;
  readonly #vocabularySize: number;
  readonly #prompts: readonly [readonly number[], ...(readonly number[])[]];
  readonly #tolerance: number;
  readonly #takesRaw: boolean;
  readonly #limit: (() => AbortSignal) | undefined;

  constructor(server: SamplingServer, weights: PublishedWeights, own: Pick<Sampler, "forward">, options: ProbeOptions) {
    const { vocabularySize, prompts = randomPrompts(vocabularySize), tolerance = 0.1, takesRaw = false } = options;
    this.#limit = options.limit;
    this.#server = server;
    this.#weights = weights;
    this.#own = own;
    this.#vocabularySize = vocabularySize;
    this.#prompts = prompts as [readonly number[]];
    this.#tolerance = tolerance;
    this.#takesRaw = takesRaw;
  }

  async run(facts: ServerFacts): Promise<ServerRecord> {
    const { kind, url } = this.#server;
    const plain = await this.#askAll(1);
    const gap = await this.#gapAt(plain, 1);
    if (!(gap.mean <= this.#tolerance))
      throw this.#refusal(
        `its log-probs are ${gap.mean.toPrecision(3)} from the trainer's (mean of ${gap.tokens} tokens, ${this.#tolerance} is allowed): other weights, another model, or another prompt`,
      );
    const again = await this.#ask({ temperature: 1 });
    const logProbsAt = await this.#temperatureOfLogProbs();
    await this.#checkStopTokens();
    if (this.#weights.kind === "adapter") await this.#checkUnknownName();
    const repeats = again.tokens.join() === plain[0]?.tokens.join();
    return { kind, url, ...facts, logProbsAt, gap, checkGap: await this.#promptGap(), repeats };
  }

  /** Replicas behind one address: of what is loaded once, under a name of its own, one of them knows and another does not. */
  async checkOneServer(): Promise<void> {
    const name = `${this.#weights.name}-once`;
    const weights = { ...this.#weights, name };
    await this.#server.load(weights, this.#limit?.());
    const asked = { promptTokens: this.#prompts[0], stopTokens: [], stopTexts: [], seed: 1 };
    const sampling = { temperature: 0, maxTokens: 1 };
    // Side by side, so that they go over connections of their own.
    const answers = await Promise.all(
      Array.from({ length: replicaRequests }, () =>
        this.#server.generate(weights, { ...asked, sampling }, this.#limit?.()),
      ),
    );
    if (weights.kind === "adapter") await this.#server.unload(name, this.#limit?.());
    const has = answers.filter((answer) => answer !== "missing" && [null, name].includes(answer.weights)).length;
    if (has > 0 && has < replicaRequests)
      throw this.#refusal(
        `${has} of ${replicaRequests} equal requests were answered by weights that were just loaded, and the others were not: several servers answer at this address; give the address of each`,
      );
  }

  async #temperatureOfLogProbs(): Promise<ServerRecord["logProbsAt"]> {
    const replies = await this.#askAll(sharp);
    const sampled = await this.#gapAt(replies, sharp);
    const raw = await this.#gapAt(replies, 1);
    if (!(Math.min(sampled.mean, raw.mean) <= this.#tolerance))
      throw this.#refusal(`its log-probs at temperature ${sharp} are neither those of that temperature nor those of 1`);
    if (sampled.mean <= raw.mean) return "sampling";
    if (this.#takesRaw) return "one";
    throw this.#refusal(
      `its log-probs are those of temperature 1, whatever is sampled; ${this.#server.remedyForRaw}, or have them computed here (logProbs: "forward")`,
    );
  }

  async #checkStopTokens(): Promise<void> {
    const greedy = await this.#ask({ temperature: 0 });
    const stop = greedy.tokens[Math.min(2, greedy.tokens.length - 1)] as number;
    const end = greedy.tokens.indexOf(stop) + 1;
    const stopped = await this.#ask({ temperature: 0, stopTokens: [stop] });
    if (stopped.tokens.length !== end || stopped.finishReason !== "stop")
      throw this.#refusal(
        `a stop token at ${end} of a greedy reply left ${stopped.tokens.length} tokens, finished by ${stopped.finishReason}: stop tokens have to end a reply and stay in it`,
      );
  }

  async #checkUnknownName(): Promise<void> {
    const never = { ...this.#weights, name: `${this.#weights.name}-never` };
    const asked = { promptTokens: this.#prompts[0], stopTokens: [], stopTexts: [], seed: 1 };
    const sampling = { temperature: 0, maxTokens: 1 };
    const answer = await this.#server.generate(never, { ...asked, sampling }, this.#limit?.());
    if (answer !== "missing")
      throw this.#refusal(`it answers for ${never.name}, which was never loaded: versions mean nothing there`);
  }

  /** Of the text by which loaded versions are checked later. */
  async #promptGap(): Promise<number> {
    const { check } = this.#weights;
    if (!check) return 0;
    const gap = checkGap(check, await this.#server.promptLogProbs(this.#weights, check.tokens, this.#limit?.()));
    if (gap <= maxCheckGaps * this.#tolerance) return gap;
    throw this.#refusal(
      `its log-probs of a prompt are ${Number.isNaN(gap) ? "missing" : `${gap.toPrecision(3)} from the trainer's`}: what it has loaded cannot be checked`,
    );
  }

  #askAll(temperature: number): Promise<GeneratedReply[]> {
    return Promise.all(this.#prompts.map((promptTokens) => this.#ask({ promptTokens, temperature })));
  }

  /** The first prompt by default. */
  async #ask({
    temperature,
    promptTokens = this.#prompts[0],
    stopTokens = [],
  }: Partial<Pick<Generation, "promptTokens" | "stopTokens">> & {
    readonly temperature: number;
  }): Promise<GeneratedReply> {
    const sampling = { temperature, maxTokens: replyTokens };
    const asked: Generation = { promptTokens, sampling, stopTokens, stopTexts: [], seed: 7 };
    const reply = await this.#server.generate(this.#weights, asked, this.#limit?.());
    if (reply === "missing") throw this.#refusal(`has no ${this.#weights.name}, which was just loaded`);
    try {
      checkReply(this.#server, this.#weights, asked, reply, this.#vocabularySize);
    } catch (error) {
      throw this.#refusal((error as Error).message.replace(`${this.#server.url}: `, ""));
    }
    return reply;
  }

  async #gapAt(replies: readonly GeneratedReply[], temperature: number): Promise<ServerRecord["gap"]> {
    const { logProbs } = await this.#own.forward(
      replies.map(({ tokens }, i) => ({
        promptTokens: this.#prompts[i] as readonly number[],
        completionTokens: tokens,
        temperature,
      })),
    );
    const gaps = replies.flatMap((reply, i) => {
      const expected = raggedRow(logProbs, i);
      return reply.logProbs.map((value, t) => Math.abs(value - (expected[t] as number)));
    });
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    return { mean, max: Math.max(...gaps), tokens: gaps.length };
  }

  #refusal(reason: string): LaconicError {
    return refusalOf(this.#server, reason);
  }
}

function refusalOf({ url }: SamplingServer, reason: string): LaconicError {
  return new LaconicError("api_refused", `${url}: ${reason}`, { server: url });
}

function randomPrompts(vocabularySize: number): number[][] {
  const random = randomFromSeed("fleet probe");
  return [0, 1, 2].map(() => Array.from({ length: 8 }, () => random.integer(vocabularySize)));
}
