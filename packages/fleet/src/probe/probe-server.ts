import { LaconicError, randomFromSeed, raggedRow, type Sampler } from "@laconic/core";
import { checkReply } from "../fleet/check-reply.ts";
import {
  checkGap,
  type Generation,
  type GeneratedReply,
  type PublishedWeights,
  type SamplingServer,
} from "../servers/sampling-server.ts";
import type { ServerRecord } from "./probe-record.ts";

/** What a probe asks with. */
export interface ProbeOptions {
  readonly vocabularySize: number;
  /** Prompts of token ids; three of eight random tokens by default. */
  readonly prompts?: readonly (readonly number[])[];
  /** Most mean |server's - trainer's| log-prob of a token; 0.1 by default. bfloat16 against float32 is some 0.01. */
  readonly tolerance?: number;
  /** Log-probs at temperature 1 will do: they are computed here, or no other temperature is sampled, which is then refused. */
  readonly takesRaw?: boolean;
}

/** Temperatures that are told apart: reported log-probs of one are not those of the other. */
const sharp = 0.5;
const replyTokens = 8;
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
  const { vocabularySize, tolerance = 0.1, takesRaw = false } = options;
  const refuse = (reason: string): LaconicError =>
    new LaconicError("api_refused", `${server.url}: ${reason}`, { server: server.url });
  if (server.holds[weights.kind] === 0)
    throw refuse(`${server.kind} does not take ${weights.kind === "all" ? "all weights" : "adapters"}`);
  const facts = await server.facts();
  await server.load(weights);
  const prompts = options.prompts ?? randomPrompts(vocabularySize);
  const [firstPrompt] = prompts as readonly [readonly number[]];

  const ask = async (part: Partial<Generation> & { readonly temperature: number }): Promise<GeneratedReply> => {
    const { temperature, ...rest } = part;
    const promptTokens = rest.promptTokens ?? firstPrompt;
    const sampling = { temperature, maxTokens: replyTokens };
    const asked: Generation = { promptTokens, sampling, stopTokens: [], stopTexts: [], seed: 7, ...rest };
    const reply = await server.generate(weights, asked);
    if (reply === "missing") throw refuse(`has no ${weights.name}, which was just loaded`);
    try {
      checkReply(server, weights, asked, reply, vocabularySize);
    } catch (error) {
      throw refuse((error as Error).message.replace(`${server.url}: `, ""));
    }
    return reply;
  };
  const gapAt = async (replies: readonly GeneratedReply[], temperature: number): Promise<ServerRecord["gap"]> => {
    const { logProbs } = await own.forward(
      replies.map(({ tokens }, i) => ({
        promptTokens: prompts[i] as readonly number[],
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
  };

  const plain = await Promise.all(prompts.map((promptTokens) => ask({ promptTokens, temperature: 1 })));
  const gap = await gapAt(plain, 1);
  if (!(gap.mean <= tolerance))
    throw refuse(
      `its log-probs are ${gap.mean.toPrecision(3)} from the trainer's (mean of ${gap.tokens} tokens, ${tolerance} is let through): other weights, another model, or another prompt`,
    );
  const again = await ask({ temperature: 1 });

  const sharpened = await Promise.all(prompts.map((promptTokens) => ask({ promptTokens, temperature: sharp })));
  const [sampled, raw] = [await gapAt(sharpened, sharp), await gapAt(sharpened, 1)];
  const logProbsAt = sampled.mean <= raw.mean ? "sampling" : "one";
  const nearest = logProbsAt === "sampling" ? sampled : raw;
  if (!(nearest.mean <= tolerance))
    throw refuse(`its log-probs at temperature ${sharp} are neither those of that temperature nor those of 1`);
  if (logProbsAt === "one" && !takesRaw)
    throw refuse(
      `its log-probs are those of temperature 1, whatever is sampled; ${server.kind === "vllm" ? "start vLLM with --logprobs-mode processed_logprobs" : "unset SGLANG_RETURN_ORIGINAL_LOGPROB"}, or have them computed here (logProbs: "forward")`,
    );

  const greedy = await ask({ temperature: 0 });
  const stop = greedy.tokens[Math.min(2, greedy.tokens.length - 1)] as number;
  const end = greedy.tokens.indexOf(stop) + 1;
  const stopped = await ask({ temperature: 0, stopTokens: [stop] });
  if (stopped.tokens.length !== end || stopped.finishReason !== "stop")
    throw refuse(
      `a stop token at ${end} of a greedy reply left ${stopped.tokens.length} tokens, finished by ${stopped.finishReason}: stop tokens have to end a reply and stay in it`,
    );

  if (weights.kind === "adapter") {
    const never = { ...weights, name: `${weights.name}-never` };
    const asked = { promptTokens: firstPrompt, stopTokens: [], stopTexts: [], seed: 1 };
    const answer = await server.generate(never, { ...asked, sampling: { temperature: 0, maxTokens: 1 } });
    if (answer !== "missing")
      throw refuse(`it answers for ${never.name}, which was never loaded: versions mean nothing there`);
  }
  const { check } = weights;
  const promptGap = check ? checkGap(check, await server.promptLogProbs(weights, check.tokens)) : 0;
  if (!(promptGap <= maxCheckGaps * tolerance))
    throw refuse(
      `its log-probs of a prompt are ${Number.isNaN(promptGap) ? "not there" : `${promptGap.toPrecision(3)} from the trainer's`}: what it has loaded cannot be checked`,
    );
  const { kind, url } = server;
  return {
    kind,
    url,
    ...facts,
    logProbsAt,
    gap,
    checkGap: promptGap,
    repeats: again.tokens.join() === plain[0]?.tokens.join(),
  };
}

function randomPrompts(vocabularySize: number): number[][] {
  const random = randomFromSeed("fleet probe");
  return [0, 1, 2].map(() => Array.from({ length: 8 }, () => random.integer(vocabularySize)));
}
