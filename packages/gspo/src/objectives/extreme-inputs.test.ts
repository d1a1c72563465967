import { ragged, raggedRow, randomFromSeed, type Objective, type ObjectiveInput, type Random } from "@laconic/core";
import { describe, expect, test } from "vitest";
import {
  cispo,
  gmpo,
  grpo,
  gspo,
  gspoToken,
  luspo,
  magrpo,
  reinforce,
  sapo,
  vespo,
  type Aggregation,
  type CommonOptions,
} from "../index.ts";

// Every objective once more, slowly and in another way: written as its loss alone, over numbers that carry their derivative.

interface Dual {
  readonly v: number;
  readonly d: number;
}
const constant = (v: number): Dual => ({ v, d: 0 });
const stop = ({ v }: Dual): Dual => constant(v);
const plus = (...terms: readonly Dual[]): Dual => terms.reduce((a, b) => ({ v: a.v + b.v, d: a.d + b.d }), constant(0));
const times = (a: Dual, b: Dual): Dual => ({ v: a.v * b.v, d: a.v * b.d + a.d * b.v });
const scaled = (k: number, a: Dual): Dual => times(constant(k), a);
const exp = (a: Dual): Dual => ({ v: Math.exp(a.v), d: Math.exp(a.v) * a.d });
const within = (a: Dual, low: number, high: number): Dual =>
  a.v < low ? constant(low) : a.v > high ? constant(high) : a;
const smaller = (a: Dual, b: Dual): Dual => (a.v <= b.v ? a : b);
const mean = (terms: readonly Dual[]): Dual => scaled(1 / terms.length, plus(...terms));
/** exp, clamped at ±20 there and only there. */
const ratio = (logRatio: Dual): Dual => exp(within(logRatio, -20, 20));

interface Row {
  readonly logProb: readonly Dual[];
  readonly d: readonly Dual[];
  readonly e: readonly Dual[];
  readonly roll: readonly number[];
  readonly A: readonly number[];
}

type Plain = (row: Row) => readonly Dual[];
const perToken =
  (loss: (row: Row, t: number) => Dual): Plain =>
  (row) =>
    row.d.map((_, t) => loss(row, t));

const surrogate = (w: Dual, A: number, low: number, high: number): Dual =>
  scaled(-1, smaller(scaled(A, w), scaled(A, within(w, 1 - low, 1 + high))));

const ppo = (low: number, high: number, cap = Infinity): Plain =>
  perToken(({ d, A }, t) => {
    const [w, a] = [ratio(d[t] as Dual), A[t] as number];
    const loss = surrogate(w, a, low, high);
    return a < 0 && cap < Infinity ? smaller(constant(-cap * a), loss) : loss;
  });

const sequenceMean = (low: number, high: number, minLength = 1): Plain =>
  perToken(({ d, A }) => {
    const s = ratio(scaled(1 / Math.max(minLength, d.length), plus(...d)));
    return surrogate(s, A[0] as number, low, high);
  });

/** sg[s] π / sg[π], where the exponent of π is |y| / max(|y|, minLength), so that minLength is GSPO's. */
const sequenceToken = (low: number, high: number, minLength = 1): Plain =>
  perToken(({ d, A, logProb }, t) => {
    const divisor = Math.max(minLength, d.length);
    const m = stop(scaled(1 / divisor, plus(...d)));
    const dual = logProb[t] as Dual;
    const moved = scaled(d.length / divisor, plus(dual, scaled(-1, stop(dual))));
    return surrogate(ratio(plus(m, moved)), A[t] as number, low, high);
  });

const geometric = (low: number, high: number): Plain =>
  perToken(({ d, A }) => {
    const a = A[0] as number;
    const retained = d.map((x) => within(x, a < 0 ? -low : -Infinity, a > 0 ? high : Infinity));
    return scaled(-a, ratio(mean(retained)));
  });

const detached = (weight: (row: Row, t: number) => number): Plain =>
  perToken((row, t) => scaled(-weight(row, t) * (row.A[t] as number), row.logProb[t] as Dual));

const softGate: Plain = perToken(({ d, A }, t) => {
  const a = A[t] as number;
  const tau = a > 0 ? 1 : 1.05;
  const z = exp(scaled(-tau, plus(ratio(d[t] as Dual), constant(-1))));
  const q = 1 / (1 + z.v);
  return { v: (-4 * a * q) / tau, d: ((4 * a) / tau) * q * q * z.d };
});

const productWeight = ({ d, A }: Row): number => {
  const W = Math.exp(Math.max(Math.log(1e-8), Math.min(20, plus(...d).v)));
  const [k, lambda] = (A[0] as number) >= 0 ? [2, 3] : [3, 2];
  return Math.exp(lambda + k * Math.log(W) - lambda * W);
};

const weightOf = (aggregation: Aggregation, rows: readonly Row[], row: Row): number => {
  const all = rows.reduce((sum, { d }) => sum + d.length, 0);
  if (aggregation === "token-mean") return 1 / all;
  if (aggregation === "seq-mean-token-sum") return 1 / rows.length;
  if (aggregation === "seq-mean-token-sum-norm") return 1 / (rows.length * 7);
  return 1 / (rows.length * row.d.length);
};

function klTerm({ estimator, coefficient, biasCorrection }: NonNullable<CommonOptions["kl"]>, e: Dual, d: Dual): Dual {
  const k3 =
    e.v < -20
      ? plus(constant(Math.exp(20) - 21), scaled(1 - Math.exp(20), plus(e, constant(20))))
      : plus(exp(scaled(-1, e)), e, constant(-1));
  const value = estimator.startsWith("k1") ? e : estimator === "k2" ? scaled(0.5, times(e, e)) : k3;
  const straight = estimator.endsWith("+") ? { v: value.v, d: e.v * e.d } : value;
  return scaled(coefficient * (biasCorrection ? ratio(d).v : 1), straight);
}

function importanceOf({ kind, level, cap, veto }: NonNullable<CommonOptions["importance"]>, row: Row): number[] {
  const logs = row.d.map((d, t) => (row.logProb[t] as Dual).v - d.v - (row.roll[t] as number));
  const total = logs.reduce((sum, log) => sum + log, 0);
  const bounded = (log: number): number => {
    if (kind === "truncate") return Math.exp(Math.min(log, Math.log(cap)));
    return Math.abs(log) <= Math.log(cap) ? Math.exp(log) : 0;
  };
  const vetoed = veto !== undefined && logs.some((log) => log < Math.log(veto));
  const whole = level === "sequence" ? total : total / logs.length;
  return logs.map((log) => (vetoed ? 0 : bounded(level === "token" ? log : whole)));
}

/** Loss with its derivative with respect to the token at `index`; value alone for -1. */
function plainLoss(
  plain: Plain,
  aggregation: Aggregation,
  options: CommonOptions,
  input: ObjectiveInput,
  index: number,
): Dual {
  const { offsets } = input.logProbs;
  const rows = Array.from({ length: offsets.length - 1 }, (_, s): Row => {
    const [start, end] = [offsets[s] as number, offsets[s + 1] as number];
    const own = Array.from({ length: end - start }, (_u, i) => start + i).filter((t) => input.mask?.[t] !== 0);
    const at = (values: ArrayLike<number> | undefined, t: number): number => values?.[t] ?? 0;
    const logProb = own.map((t) => ({ v: at(input.logProbs.values, t), d: t === index ? 1 : 0 }));
    const minus = (values: ArrayLike<number> | undefined): Dual[] =>
      own.map((t, i) => plus(logProb[i] as Dual, constant(-at(values, t))));
    return {
      logProb,
      d: minus(input.oldLogProbs.values),
      e: minus(input.refLogProbs?.values),
      roll: own.map((t) => at(input.rollLogProbs?.values, t)),
      A: own.map((t) => input.advantages[input.advantages.length === offsets.length - 1 ? s : t] as number),
    };
  }).filter(({ d }) => d.length > 0);
  const terms = rows.flatMap((row) => {
    const importance = options.importance ? importanceOf(options.importance, row) : row.d.map(() => 1);
    const drift = row.roll.reduce((sum, roll, t) => sum + roll - (row.logProb[t] as Dual).v, 0) / row.roll.length;
    const advantage = row.A.reduce((sum, a) => sum + a, 0);
    const dropped = options.offPolicyMask !== undefined && advantage < 0 && drift > options.offPolicyMask;
    return plain(row).map((loss, t) => {
      const policy = dropped ? constant(0) : scaled(importance[t] as number, loss);
      const kl = options.kl ? klTerm(options.kl, row.e[t] as Dual, row.d[t] as Dual) : constant(0);
      return scaled(weightOf(aggregation, rows, row), plus(policy, kl));
    });
  });
  return plus(...terms);
}

/** Drifts of a token: most of them ordinary, some so large that a clamp or clip must act. */
const drifts = [0, 1e-4, 0.01, 0.3, 3, 19.9, 21, 60, 400];

function extremeInput(random: Random, perTokenAdvantages: boolean): ObjectiveInput {
  const lengths = Array.from({ length: 1 + random.integer(5) }, () => random.pick([0, 1, 2, 5, 12]));
  // One scale for a whole sequence, or one per token: the mean is extreme too, or hides its extremes.
  const noise = (): number[][] =>
    lengths.map((length) => {
      const shared = random.uniform() < 0.4 ? random.pick(drifts) * random.pick([-1, 1]) : null;
      return Array.from({ length }, () => (shared ?? random.pick(drifts) * random.pick([-1, 1])) * random.uniform());
    });
  const old = lengths.map((length) => Array.from({ length }, () => -420 - 20 * random.uniform()));
  const moved = (by: readonly number[][]): ReturnType<typeof ragged> =>
    ragged(old.map((row, s) => row.map((value, t) => value + (by[s]?.[t] as number))));
  const count = lengths.reduce((sum, length) => sum + length, 0);
  const advantages = perTokenAdvantages ? count : lengths.length;
  return {
    logProbs: moved(noise()),
    oldLogProbs: ragged(old),
    refLogProbs: moved(noise()),
    // Never the old ones: sampler and trainer that agree need no weights.
    rollLogProbs: moved(noise().map((row) => row.map((drift) => drift + 1e-3))),
    mask: Uint8Array.from({ length: count }, () => (random.uniform() < 0.8 ? 1 : 0)),
    advantages: Float64Array.from({ length: advantages }, () => random.pick([0, 1, 1e-3, 1e3]) * random.normal()),
  };
}

type Case = readonly [string, (options: CommonOptions) => Objective, Plain, Aggregation, "sequence" | "token"];
const clip = { low: 0.1, high: 0.15 };
const cases: readonly Case[] = [
  ["gspo", (o) => gspo({ ...o, clip }), sequenceMean(0.1, 0.15), "seq-mean-token-mean", "sequence"],
  [
    "gspo, floor",
    (o) => gspo({ ...o, clip, minLength: 4 }),
    sequenceMean(0.1, 0.15, 4),
    "seq-mean-token-mean",
    "sequence",
  ],
  ["gspo-token", (o) => gspoToken({ ...o, clip }), sequenceToken(0.1, 0.15), "seq-mean-token-mean", "token"],
  [
    "gspo-token, floor",
    (o) => gspoToken({ ...o, clip, minLength: 4 }),
    sequenceToken(0.1, 0.15, 4),
    "seq-mean-token-mean",
    "token",
  ],
  ["luspo", (o) => luspo({ ...o, clip }), sequenceMean(0.1, 0.15), "seq-mean-token-sum", "sequence"],
  ["gmpo", (o) => gmpo({ ...o, clip }), geometric(0.1, 0.15), "seq-mean-token-mean", "sequence"],
  ["grpo", (o) => grpo({ ...o, clip }), ppo(0.1, 0.15), "seq-mean-token-mean", "token"],
  ["dapo", (o) => grpo({ ...o, clip, aggregation: "token-mean" }), ppo(0.1, 0.15), "token-mean", "token"],
  [
    "dr-grpo",
    (o) => grpo({ ...o, clip, aggregation: "seq-mean-token-sum-norm", constantLength: 7 }),
    ppo(0.1, 0.15),
    "seq-mean-token-sum-norm",
    "token",
  ],
  ["dual clip", (o) => grpo({ ...o, clip, dualClip: 3 }), ppo(0.1, 0.15, 3), "seq-mean-token-mean", "token"],
  ["sapo", (o) => sapo(o), softGate, "seq-mean-token-mean", "token"],
  ["reinforce", (o) => reinforce(o), detached(() => 1), "token-mean", "token"],
  ["magrpo", (o) => magrpo(o), detached(() => 1), "seq-mean-token-sum", "sequence"],
  [
    "cispo",
    (o) => cispo({ ...o, minRatio: 0.5 }),
    detached(({ d }, t) => Math.max(0.5, Math.min(5, ratio(d[t] as Dual).v))),
    "token-mean",
    "token",
  ],
  ["vespo", (o) => vespo(o), detached(productWeight), "token-mean", "sequence"],
];

const extras: readonly CommonOptions[] = [
  {},
  { kl: { estimator: "k2", coefficient: 0.1 } },
  { kl: { estimator: "k3", coefficient: 0.1 } },
  { kl: { estimator: "k1+", coefficient: 0.1 } },
  { kl: { estimator: "k3+", coefficient: 0.1, biasCorrection: true } },
  { importance: { kind: "truncate", level: "sequence", cap: 2 } },
  { importance: { kind: "mask", level: "geometric", cap: 3, veto: 1e-4 } },
  { importance: { kind: "truncate", level: "token", cap: 2 } },
  { offPolicyMask: 0.5 },
];

/** Combinations that the objective refuses by design; see the refusals. */
const refused = (name: string, { importance }: CommonOptions): boolean =>
  importance !== undefined &&
  (["cispo", "vespo"].includes(name) || (importance.level === "token" && /^(gspo|luspo|gmpo|magrpo)/u.test(name)));

describe.each(cases)("%s", (name, make, plain, aggregation, unit) => {
  test.each(extras.filter((options) => !refused(name, options)))(
    "loss and gradients are those of the plain computation, however extreme the log-probs: %j",
    (options) => {
      const objective = make(options);
      const random = randomFromSeed(`${name} ${JSON.stringify(options)}`);
      for (let run = 0; run < 30; run++) {
        const input = extremeInput(random, unit === "token" && run % 2 === 1);
        const { loss, gradient } = objective.evaluate(input);
        const near = (match: number, expected: number, size: number): void =>
          expect(Math.abs(match - expected)).toBeLessThanOrEqual(1e-10 * Math.max(1e-3, size));
        // Losses of either sign cancel: the largest gradient is the scale of what they are made of.
        const dLogProbs = Array.from(gradient, (_, t) => plainLoss(plain, aggregation, options, input, t).d);
        const expected = plainLoss(plain, aggregation, options, input, -1).v;
        const size = Math.max(Math.abs(expected), ...dLogProbs.map(Math.abs));
        near(loss, expected, size);
        dLogProbs.forEach((dLogProb, t) => near(gradient[t] as number, dLogProb, size));
      }
    },
  );
});

test("nothing is clipped at A = 0, whatever the ratio", () => {
  for (const [, make] of cases) {
    const random = randomFromSeed(9);
    for (let run = 0; run < 20; run++) {
      const input = extremeInput(random, false);
      const { diagnostics } = make({}).evaluate({ ...input, advantages: input.advantages.map(() => 0) });
      for (const side of ["low", "high", "region"]) expect(diagnostics[`clip_ratio/${side}`]?.sum).toBe(0);
    }
  }
});

test("long sequences: the mean of 20,000 extreme tokens is not clamped token by token", () => {
  const random = randomFromSeed(4);
  const old = Array.from({ length: 20_000 }, () => -50);
  const now = old.map((value, t) => value + (t % 100 === 0 ? 40 : -0.4 + 0.001 * random.normal()));
  const input = { logProbs: ragged([now]), oldLogProbs: ragged([old]), advantages: Float64Array.of(1) };
  const { diagnostics } = gspo().evaluate(input);
  const sum = raggedRow(input.logProbs, 0).reduce((total, value, t) => total + value - (old[t] as number), 0);
  expect(diagnostics["ratio"]?.max).toBeCloseTo(Math.exp(sum / 20_000), 12);
  expect(Math.abs((diagnostics["ratio"]?.max as number) - 1)).toBeLessThan(0.02);
});
