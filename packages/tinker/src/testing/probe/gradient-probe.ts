import { LaconicError, randomFromSeed } from "@laconic/core";
import type { TinkerClient } from "../../client/tinker-client.ts";
import type { TrainingClient } from "../../client/training-client.ts";
import type { ServerRecord } from "../../engine/server-record.ts";
import { datum, type Datum } from "../../wire/datum.ts";

export interface Scratch {
  /** Equal new adapter for each call, unloaded after the body. */
  <T>(body: (model: TrainingClient) => Promise<T>): Promise<T>;
}

export function scratchModels(
  client: TinkerClient,
  settings: { readonly baseModel: string; readonly rank: number },
  signal?: AbortSignal,
): Scratch {
  return async (body) => {
    const model = await client.createModel({ ...settings, seed: 7 }, signal);
    try {
      return await body(model);
    } finally {
      await model.unload().catch(() => undefined);
    }
  };
}

/** Sequence whose last prediction is measured, and a longer version of it. */
export interface ProbeTexts {
  readonly short: readonly number[];
  readonly long: readonly number[];
}

export function probeTexts(vocabularySize: number): ProbeTexts {
  const random = randomFromSeed("probe");
  const long = Array.from({ length: 24 }, () => random.integer(vocabularySize));
  return { short: long.slice(0, 12), long };
}

interface Response {
  readonly rise: number;
  readonly metrics: Readonly<Record<string, number>>;
}

interface Question {
  /** Advantage of the measured token, in units. Default 1. */
  readonly advantage?: number;
  /** Factor of the advantage that leaves the step unchanged, so that only clipping has an effect. */
  readonly scale?: number;
  /** Added to the old policy's log-probs in the request. */
  readonly shift?: number;
  readonly text?: keyof ProbeTexts;
  /** Sequences per call. */
  readonly calls?: readonly number[];
  readonly gradClipNorm?: number;
}

/** Advantage unit: its gradients are below any norm at which a server may clip by itself. */
const unit = 1e-3;
/** Factor of the unit for gradients far above such norms. */
const large = 1e6;

export type GradientFindings = Pick<ServerRecord, "reduction" | "gradNorm" | "optimizer" | "clips" | "clipsItself">;

/**
 * Measures the effect of `importance_sampling` on one log-prob. AdamW with an epsilon far above any gradient makes
 * steps proportional to the gradient. If the server keeps its own epsilon, steps depend only on the sign: gradients are
 * then judged by reported norms and the step's direction.
 * @throws LaconicError `model_unsupported` naming a computed value that is not this loss's gradient
 */
export async function probeGradient(scratch: Scratch, texts: ProbeTexts): Promise<GradientFindings> {
  const ask = (rate: number, question: Question): Promise<Response> =>
    scratch((model) => respond(model, texts, rate, question));
  // Starts with a small rate: a step far too large may show any rise. A server with its own epsilon starts at
  // a learning rate of 1e-4.
  let rate = 1e-6 * unit;
  let plain = await ask(rate, {});
  // Small enough to be linear, large enough for float32.
  for (let tries = 0; tries < 14 && !(Math.abs(plain.rise) > 0.003 && Math.abs(plain.rise) < 0.1); tries++) {
    const seen = plain.rise > 1e-4;
    rate *= seen ? Math.min(64, 0.02 / plain.rise) : 64;
    plain = await ask(rate, {});
  }
  if (!(plain.rise > 0.001))
    throw refused(`an advantage of ${unit} raised its log-prob by ${plain.rise}: the server does not train on it`);
  const doubled = await ask(rate, { advantage: 2 });
  const optimizer = Math.abs(doubled.rise / plain.rise - 1) < 0.3 ? "own" : "asked";
  const gradNorm = normMetric(plain, doubled);
  if (optimizer === "own" && gradNorm === null)
    throw refused(
      "doubling the advantage did not change the step, and no gradient norm is reported: the server's own optimizer or clipping hides its gradients",
    );
  const shareIn = ({ rise, metrics }: Response): number => {
    if (optimizer === "asked" || gradNorm === null) return rise / plain.rise;
    return (Math.sign(rise) * (metrics[gradNorm] ?? NaN)) / (plain.metrics[gradNorm] ?? NaN);
  };
  const shareOf = async (question: Question): Promise<number> => shareIn(await ask(rate, question));
  const expectShare = (match: number, share: number, what: string): void => {
    if (!(Math.abs(match - share) <= 0.3))
      throw refused(`${what} scaled the step by ${match.toFixed(2)}, expected ${share}: it computes another loss`);
  };
  expectShare(shareIn(doubled), 2, "an advantage of 2");
  expectShare(await shareOf({ advantage: 0 }), 0, "an advantage of 0");
  expectShare(await shareOf({ advantage: -1 }), -1, "an advantage of -1");
  expectShare(await shareOf({ shift: -Math.LN2 }), 2, "an old policy half as likely");
  const together = await shareOf({ calls: [2] });
  const apart = await shareOf({ calls: [1, 1] });
  if (Math.abs(together - apart) > 0.3)
    throw refused(`two sequences count ${together.toFixed(2)} in one request and ${apart.toFixed(2)} in two`);
  const sequences = oneOf({ sum: 2, mean: 1 }, together, "two equal sequences");
  const { short, long } = texts;
  const positions = oneOf(
    { sum: 1, mean: (short.length - 1) / (long.length - 1) },
    await shareOf({ text: "long" }),
    "a longer sequence",
  );
  const isAsked = optimizer === "asked";
  const clips = isAsked
    ? Math.abs(await shareOf({ gradClipNorm: 1e-9 })) < 0.1
    : await limits(scratch, texts, rate, { advantage: 1, gradClipNorm: 1e-9 });
  const clipsItself = isAsked
    ? (await shareOf({ scale: large })) < 0.7
    : await limits(scratch, texts, rate, { advantage: large });
  return { reduction: { sequences, positions }, gradNorm, optimizer, clips, clipsItself };
}

/**
 * Detects clipping if the server's optimizer hides the gradient's size. One step up is followed by two steps down on a
 * quarter of its gradient. The first step's momentum outweighs them, unless all three were clipped to one norm.
 */
async function limits(
  scratch: Scratch,
  texts: ProbeTexts,
  rate: number,
  up: Question & { readonly advantage: number },
): Promise<boolean> {
  return scratch(async (model) => {
    await respond(model, texts, rate, up);
    const down = { ...up, advantage: -up.advantage / 4 };
    const [first, second] = [await respond(model, texts, rate, down), await respond(model, texts, rate, down)];
    return first.rise + second.rise < 0;
  });
}

async function respond(model: TrainingClient, texts: ProbeTexts, rate: number, question: Question): Promise<Response> {
  const { advantage = 1, scale = 1, shift = 0, text = "short", calls = [1], gradClipNorm } = question;
  const tokens = texts[text];
  const look = texts.short.length - 2;
  const logProbs = await forwardOf(model, tokens);
  const advantages = new Float64Array(tokens.length - 1);
  advantages[look] = unit * scale * advantage;
  const one: Datum = datum(tokens, { logprobs: logProbs.map((value) => value + shift), advantages });
  for (const count of calls)
    await model.forwardBackward(
      Array.from({ length: count }, () => one),
      "importance_sampling",
    );
  const epsilon = 100 * scale;
  const metrics = await model.optimStep({
    // Equal steps at any scale, if the server uses this epsilon.
    learningRate: (rate * 100) / unit,
    beta1: 0,
    beta2: 0,
    epsilon,
    weightDecay: 0,
    ...(gradClipNorm !== undefined && { gradClipNorm }),
  });
  const after = await forwardOf(model, tokens);
  return { rise: (after[look] as number) - (logProbs[look] as number), metrics };
}

export async function push(model: TrainingClient, tokens: readonly number[], advantage: number): Promise<void> {
  const logprobs = await forwardOf(model, tokens);
  const data = [datum(tokens, { logprobs, advantages: logprobs.map(() => advantage) })];
  await model.forwardBackward(data, "importance_sampling");
  await model.optimStep({ learningRate: 0.05, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0 });
}

export async function forwardOf(model: TrainingClient, tokens: readonly number[]): Promise<readonly number[]> {
  const weights = new Float64Array(tokens.length - 1).fill(1);
  const { loss_fn_outputs } = await model.forward([datum(tokens, { weights })], "cross_entropy");
  return loss_fn_outputs[0]?.logprobs.data ?? [];
}

function normMetric(plain: Response, doubled: Response): string | null {
  const names = Object.keys(plain.metrics).filter((name) => /grad.*norm/iu.test(name));
  return names.find((name) => Math.abs((doubled.metrics[name] ?? 0) / (plain.metrics[name] ?? 0) - 2) < 0.1) ?? null;
}

function oneOf<K extends string>(expected: Readonly<Record<K, number>>, match: number, what: string): K {
  for (const [name, value] of Object.entries(expected) as [K, number][])
    if (Math.abs(value - match) < 0.25) return name;
  throw refused(`${what} scaled the step by ${match.toFixed(2)}, which is neither a sum nor a mean`);
}

function refused(reason: string): LaconicError {
  return new LaconicError("model_unsupported", `importance_sampling: ${reason}`);
}
