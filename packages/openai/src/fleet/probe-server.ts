import { LaconicError, raggedRow, randomFromSeed, type Sampler } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import { checkReply } from "./reply-checks.ts";
import {
  checkGap,
  type Generation,
  type GeneratedReply,
  type PublishedWeights,
  type SamplingServer,
} from "./servers/sampling-server.ts";

/** What a probe found out about one server; kept with the run. */
export interface ServerRecord {
  readonly kind: string;
  readonly url: string;
  /** Of its software. */
  readonly version: string | null;
  readonly contextLength: number | null;
  /**
   * What its log-probs are of: the distribution that was sampled, or the model's at temperature 1 (vLLM's `raw_logprobs`).
   */
  readonly logProbsAt: "sampling" | "one";
  /** |server's - trainer's| log-prob of a token under equal weights, at the temperature that the server reports. */
  readonly gap: { readonly mean: number; readonly max: number; readonly tokens: number };
  /** Mean gap over the text by which loaded versions are checked: random tokens, where rounding shows more. */
  readonly checkGap: number;
  /** The same request gave the same reply twice. Servers that batch seldom do, so this decides nothing. */
  readonly repeats: boolean;
}

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
  const { vocabularySize, prompts = randomPrompts(vocabularySize), tolerance = 0.1, takesRaw = false, limit } = options;
  const probe: Probe = { server, weights, own, vocabularySize, prompts, tolerance, takesRaw, limit };
  if (server.holds[weights.kind] === 0)
    throw refusal(probe, `${server.kind} does not take ${weights.kind === "all" ? "all weights" : "adapters"}`);
  const { kind, url } = server;
  const facts = await server.facts(limit?.());
  await checkOneServer(probe);
  await server.load(weights, limit?.());
  const plain = await askAll(probe, 1);
  const gap = await gapAt(probe, plain, 1);
  if (!(gap.mean <= tolerance))
    throw refusal(
      probe,
      `its log-probs are ${gap.mean.toPrecision(3)} from the trainer's (mean of ${gap.tokens} tokens, ${tolerance} is allowed): other weights, another model, or another prompt`,
    );
  const again = await ask(probe, { temperature: 1 });
  const logProbsAt = await temperatureOfLogProbs(probe);
  await checkStopTokens(probe);
  if (weights.kind === "adapter") await checkUnknownName(probe);
  const repeats = again.tokens.join() === plain[0]?.tokens.join();
  return { kind, url, ...facts, logProbsAt, gap, checkGap: await promptGap(probe), repeats };
}

/** Whom a probe asks, and with what. */
interface Probe extends Required<Omit<ProbeOptions, "limit">> {
  readonly server: SamplingServer;
  readonly weights: PublishedWeights;
  readonly own: Pick<Sampler, "forward">;
  readonly limit: (() => AbortSignal) | undefined;
}

/** Replicas behind one address: of what is loaded once, under a name of its own, one of them knows and another does not. */
async function checkOneServer(probe: Probe): Promise<void> {
  const { server, limit } = probe;
  const weights = { ...probe.weights, name: `${probe.weights.name}-once` };
  await server.load(weights, limit?.());
  // Side by side, so that they go over connections of their own.
  const answers = await Promise.all(Array.from({ length: replicaRequests }, () => askOne(probe, weights)));
  if (weights.kind === "adapter") await server.unload(weights.name, limit?.());
  const has = answers.filter((answer) => answer !== "missing" && [null, weights.name].includes(answer.weights)).length;
  if (has > 0 && has < replicaRequests)
    throw refusal(
      probe,
      `${has} of ${replicaRequests} equal requests were answered by weights that were just loaded, and the others were not: several servers answer at this address; give the address of each`,
    );
}

async function temperatureOfLogProbs(probe: Probe): Promise<ServerRecord["logProbsAt"]> {
  const replies = await askAll(probe, sharp);
  const [sampled, raw] = [await gapAt(probe, replies, sharp), await gapAt(probe, replies, 1)];
  if (!(Math.min(sampled.mean, raw.mean) <= probe.tolerance))
    throw refusal(probe, `its log-probs at temperature ${sharp} are neither those of that temperature nor those of 1`);
  if (sampled.mean <= raw.mean) return "sampling";
  if (probe.takesRaw) return "one";
  throw refusal(
    probe,
    `its log-probs are those of temperature 1, whatever is sampled; ${probe.server.remedyForRaw}, or have them computed here (logProbs: "forward")`,
  );
}

async function checkStopTokens(probe: Probe): Promise<void> {
  const greedy = await ask(probe, { temperature: 0 });
  const stop = greedy.tokens[Math.min(2, greedy.tokens.length - 1)] as number;
  const end = greedy.tokens.indexOf(stop) + 1;
  const stopped = await ask(probe, { temperature: 0, stopTokens: [stop] });
  if (stopped.tokens.length !== end || stopped.finishReason !== "stop")
    throw refusal(
      probe,
      `a stop token at ${end} of a greedy reply left ${stopped.tokens.length} tokens, finished by ${stopped.finishReason}: stop tokens have to end a reply and stay in it`,
    );
}

async function checkUnknownName(probe: Probe): Promise<void> {
  const name = `${probe.weights.name}-never`;
  if ((await askOne(probe, { ...probe.weights, name })) !== "missing")
    throw refusal(probe, `it answers for ${name}, which was never loaded: versions mean nothing there`);
}

/** Of the text by which loaded versions are checked later. */
async function promptGap(probe: Probe): Promise<number> {
  const { server, weights, tolerance, limit } = probe;
  const { check } = weights;
  if (!check) return 0;
  const gap = checkGap(check, await server.promptLogProbs(weights, check.tokens, limit?.()));
  if (gap <= maxCheckGaps * tolerance) return gap;
  const reported = Number.isNaN(gap) ? "missing" : `${gap.toPrecision(3)} from the trainer's`;
  throw refusal(probe, `its log-probs of a prompt are ${reported}: what it has loaded cannot be checked`);
}

/** One token of weights that it may not have. */
function askOne({ server, prompts, limit }: Probe, weights: PublishedWeights): Promise<GeneratedReply | "missing"> {
  const [promptTokens = []] = prompts;
  const sampling = { temperature: 0, maxTokens: 1 };
  return server.generate(weights, { promptTokens, stopTokens: [], stopTexts: [], seed: 1, sampling }, limit?.());
}

function askAll(probe: Probe, temperature: number): Promise<GeneratedReply[]> {
  return Promise.all(probe.prompts.map((promptTokens) => ask(probe, { promptTokens, temperature })));
}

/** The first prompt by default. */
async function ask(
  probe: Probe,
  question: Partial<Pick<Generation, "promptTokens" | "stopTokens">> & { readonly temperature: number },
): Promise<GeneratedReply> {
  const { server, weights, prompts, vocabularySize, limit } = probe;
  const { temperature, promptTokens = prompts[0] ?? [], stopTokens = [] } = question;
  const sampling = { temperature, maxTokens: replyTokens };
  const asked: Generation = { promptTokens, sampling, stopTokens, stopTexts: [], seed: 7 };
  const reply = await server.generate(weights, asked, limit?.());
  if (reply === "missing") throw refusal(probe, `has no ${weights.name}, which was just loaded`);
  try {
    checkReply(server, weights, asked, reply, vocabularySize);
  } catch (error) {
    throw refusal(probe, (error as Error).message.replace(`${server.url}: `, ""));
  }
  return reply;
}

async function gapAt(
  { own, prompts }: Probe,
  replies: readonly GeneratedReply[],
  temperature: number,
): Promise<ServerRecord["gap"]> {
  const { logProbs } = await own.forward(
    replies.map(({ tokens: completionTokens }, i) => ({
      promptTokens: prompts[i] ?? [],
      completionTokens,
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

function refusal({ server: { url } }: Pick<Probe, "server">, reason: string): LaconicError {
  return new LaconicError("api_refused", `${url}: ${reason}`, { server: url });
}

function randomPrompts(vocabularySize: number): number[][] {
  const random = randomFromSeed("fleet probe");
  return [0, 1, 2].map(() => Array.from({ length: 8 }, () => random.integer(vocabularySize)));
}
