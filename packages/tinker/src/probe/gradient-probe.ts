import { LaconicError, randomFromSeed } from "@laconic/core";
import type { TinkerClient } from "../client/tinker-client.ts";
import type { TrainingClient } from "../client/training-client.ts";
import type { ServerRecord } from "../engine/server-record.ts";
import { datum, type Datum } from "../wire/datum.ts";

/** Makes models for one question each. */
export interface Scratch {
  /** A fresh adapter, the same each time; unloaded behind the body. */
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

/** A sequence whose last prediction is looked at, and the same one with more behind it. */
export interface ProbeTexts {
  readonly short: readonly number[];
  readonly long: readonly number[];
}

export function probeTexts(vocabularySize: number): ProbeTexts {
  const random = randomFromSeed("probe");
  const long = Array.from({ length: 24 }, () => random.integer(vocabularySize));
  return { short: long.slice(0, 12), long };
}

/** What a step did: how far the looked-at log-prob rose, and what the server measured. */
interface Response {
  readonly rise: number;
  readonly metrics: Readonly<Record<string, number>>;
}

interface Question {
  /** Times 1, the advantage of the looked-at token. */
  readonly advantage?: number;
  /** Added to the log-probs that are sent as the old policy's. */
  readonly shift?: number;
  readonly text?: keyof ProbeTexts;
  /** Sequences of each call. */
  readonly calls?: readonly number[];
  readonly gradClipNorm?: number;
}

export type GradientFindings = Pick<ServerRecord, "reduction" | "gradNorm" | "clips">;

/**
 * Asks what `importance_sampling` does to one log-prob. Steps are AdamW with an epsilon far above any gradient, which makes them
 * proportional to the gradient.
 *
 * @throws LaconicError `model_unsupported` naming what a server computes that is not the gradient of that loss
 */
export async function probeGradient(scratch: Scratch, texts: ProbeTexts): Promise<GradientFindings> {
  const ask = (rate: number, question: Question): Promise<Response> =>
    scratch((model) => respond(model, texts, rate, question));
  // From below: a step far too large may come out at any rise, a small one among them.
  let rate = 1e-4;
  let plain = await ask(rate, {});
  // Small enough to be linear, large enough to be seen in float32.
  for (let tries = 0; tries < 8 && !(Math.abs(plain.rise) > 0.003 && Math.abs(plain.rise) < 0.1); tries++) {
    const seen = plain.rise > 1e-4;
    rate *= seen ? Math.min(64, 0.02 / plain.rise) : 32;
    plain = await ask(rate, {});
  }
  if (!(plain.rise > 0.001))
    throw refused(`an advantage of 1 raised its log-prob by ${plain.rise}: the server does not train on it`);
  const shareOf = async (question: Question): Promise<number> => (await ask(rate, question)).rise / plain.rise;
  const expectShare = async (question: Question, share: number, what: string): Promise<void> => {
    const found = await shareOf(question);
    if (Math.abs(found - share) > 0.3)
      throw refused(
        `${what} changed the step by ${found.toFixed(2)} times, expected ${share}: it computes another loss`,
      );
  };
  await expectShare({ advantage: 0 }, 0, "an advantage of 0");
  await expectShare({ advantage: -1 }, -1, "an advantage of -1");
  await expectShare({ advantage: 2 }, 2, "an advantage of 2");
  await expectShare({ shift: -Math.LN2 }, 2, "an old policy half as likely");
  const together = await shareOf({ calls: [2] });
  const apart = await shareOf({ calls: [1, 1] });
  if (Math.abs(together - apart) > 0.3)
    throw refused(`two sequences weigh ${together.toFixed(2)} in one request and ${apart.toFixed(2)} in two`);
  const sequences = oneOf({ sum: 2, mean: 1 }, together, "two equal sequences");
  const { short, long } = texts;
  const positions = oneOf(
    { sum: 1, mean: (short.length - 1) / (long.length - 1) },
    await shareOf({ text: "long" }),
    "a longer sequence",
  );
  const gradNorm = await normMetric(plain, () => ask(rate, { advantage: 2 }));
  const clips = Math.abs(await shareOf({ gradClipNorm: 1e-9 })) < 0.1;
  return { reduction: { sequences, positions }, gradNorm, clips };
}

async function respond(model: TrainingClient, texts: ProbeTexts, rate: number, question: Question): Promise<Response> {
  const { advantage = 1, shift = 0, text = "short", calls = [1], gradClipNorm } = question;
  const tokens = texts[text];
  const look = texts.short.length - 2;
  const logProbs = await forwardOf(model, tokens);
  const advantages = new Float64Array(tokens.length - 1);
  advantages[look] = advantage;
  const one: Datum = datum(tokens, { logprobs: logProbs.map((value) => value + shift), advantages });
  for (const count of calls)
    await model.forwardBackward(
      Array.from({ length: count }, () => one),
      "importance_sampling",
    );
  const epsilon = 100;
  const metrics = await model.optimStep({
    learningRate: rate * epsilon,
    beta1: 0,
    beta2: 0,
    epsilon,
    weightDecay: 0,
    ...(gradClipNorm !== undefined && { gradClipNorm }),
  });
  const after = await forwardOf(model, tokens);
  return { rise: (after[look] as number) - (logProbs[look] as number), metrics };
}

/** log-probs of every token but the first. */
export async function forwardOf(model: TrainingClient, tokens: readonly number[]): Promise<readonly number[]> {
  const weights = new Float64Array(tokens.length - 1).fill(1);
  const { loss_fn_outputs } = await model.forward([datum(tokens, { weights })], "cross_entropy");
  return loss_fn_outputs[0]?.logprobs.data ?? [];
}

/** The name of a metric that doubles with the gradient. */
async function normMetric(plain: Response, doubled: () => Promise<Response>): Promise<string | null> {
  const names = Object.keys(plain.metrics).filter((name) => /grad.*norm/iu.test(name));
  if (names.length === 0) return null;
  const { metrics } = await doubled();
  return names.find((name) => Math.abs((metrics[name] ?? 0) / (plain.metrics[name] ?? 0) - 2) < 0.1) ?? null;
}

function oneOf<K extends string>(expected: Readonly<Record<K, number>>, found: number, what: string): K {
  for (const [name, value] of Object.entries(expected) as [K, number][])
    if (Math.abs(value - found) < 0.25) return name;
  throw refused(`${what} changed the step by ${found.toFixed(2)} times, which is neither a sum nor a mean`);
}

function refused(reason: string): LaconicError {
  return new LaconicError("model_unsupported", `importance_sampling: ${reason}`);
}
