import { total } from "./numbers.ts";
import type { SampledUnit } from "./sample-weights.ts";
import { knownImportance, type ImportanceSettings } from "./sample-weights.ts";
import { named, type Known, type SettingsOf } from "./schema.ts";

const options = {
  "clip?": { low: "number", high: "number" },
  "aggregation?": [
    "seq-mean-token-mean",
    "token-mean",
    "seq-mean-token-sum",
    "seq-mean-token-sum-norm",
    "token-sum",
    "prompt-mean",
  ],
  "constantLength?": "number",
  "minLength?": "number",
  "dualClip?": "number",
  "maxRatio?": "number",
  "minRatio?": "number",
  "positiveTemperature?": "number",
  "negativeTemperature?": "number",
  "positive?": "pair",
  "negative?": "pair",
} as const;

/** Laid on any loss. */
const corrections = {
  "kl?": {
    estimator: ["k1", "k2", "k3", "k1+", "k3+"],
    coefficient: "number",
    "biasCorrection?": "boolean",
    "to?": { policy: "text", at: ["old", "now", "first"] },
  },
  "offPolicyMask?": "number",
} as const;

type Options = SettingsOf<typeof options>;

/** An objective by name with its options; a text is a value of the user's own. */
export type ObjectiveSettings = { readonly name: string; readonly importance?: ImportanceSettings } & Options &
  SettingsOf<typeof corrections>;

/** One unit of a ratio: a reply, or all that is joined to one. */
export interface UnitRow extends SampledUnit {
  /** log π and log π_ref of its tokens. */
  readonly now: readonly number[];
  readonly ref: readonly number[] | null;
  /** Of each token. */
  readonly advantages: readonly number[];
  readonly problem: number;
}

/** Of one token: the loss, its gradient by the log-prob, and the side that the ratio was clipped on. */
interface Term {
  readonly loss: number;
  readonly dLogProb: number;
  readonly side: number;
}

/** Of a token or of a whole unit. */
interface Ratio {
  readonly ratio: number;
  readonly side: number;
  /** Whether its exponential was bounded. */
  readonly isBeyond: boolean;
  /** Tokens behind it where it is of a whole unit. */
  readonly length?: number;
}

/** A unit's terms by token, and its ratios: one, or one for each token. */
interface UnitTerms {
  readonly terms: readonly Term[];
  readonly ratios: readonly Ratio[];
}

type TokenRule = (w: number, A: number, logProb: number) => Term;
type UnitRule = (unit: UnitRow, drift: readonly number[]) => UnitTerms;

/** An objective: the options that it reads, how tokens are averaged by default, and its terms (docs: papers). */
interface Objective {
  readonly reads: readonly (keyof Options)[];
  readonly aggregation: string;
  /** Whether a token has a gradient where the ratio is bounded. */
  readonly keepsGradient?: boolean;
  readonly rule: (options: Options) => UnitRule;
}

/** Exponentials are of at most ±20. */
export const bounded = (x: number): number => Math.exp(Math.max(-20, Math.min(20, x)));
const isBeyond = (x: number): boolean => Math.abs(x) > 20;

/** min(w A, clip(w) A) with its gradient -w A, which an active clip takes away. */
function clippedTerm(w: number, A: number, low: number, high: number): Term {
  if (A > 0 && w > 1 + high) return { loss: -(1 + high) * A, dLogProb: 0, side: 1 };
  if (A < 0 && w < 1 - low) return { loss: -(1 - low) * A, dLogProb: 0, side: -1 };
  return { loss: -w * A, dLogProb: -w * A, side: 0 };
}

/** A ratio for each token. */
function byToken(rule: TokenRule): UnitRule {
  return ({ now, advantages }, drift) => {
    const terms = drift.map((d, t) => rule(bounded(d), advantages[t] as number, now[t] as number));
    const ratios = drift.map((d, t) => ({
      ratio: bounded(d),
      side: (terms[t] as Term).side,
      isBeyond: isBeyond(d),
    }));
    return { terms, ratios };
  };
}

/** One ratio for a unit. */
function byUnit(terms: readonly Term[], logRatio: number, side: number): UnitTerms {
  return { terms, ratios: [{ ratio: bounded(logRatio), side, isBeyond: isBeyond(logRatio), length: terms.length }] };
}

const adv = ({ advantages }: UnitRow): number => advantages[0] ?? 0;

/** -A log π of every token, times a factor. */
const scored = (unit: UnitRow, factor = 1): Term[] =>
  unit.now.map((logProb) => ({ loss: -factor * adv(unit) * logProb, dLogProb: -factor * adv(unit), side: 0 }));

const grpo =
  (usualHigh: number) =>
  ({ clip, dualClip, maxRatio }: Options): UnitRule => {
    const { low, high } = clip ?? { low: 0.2, high: usualHigh };
    const cap = dualClip ?? maxRatio ?? Number.POSITIVE_INFINITY;
    return byToken((w, A) =>
      A < 0 && w > cap ? { loss: -cap * A, dLogProb: 0, side: 1 } : clippedTerm(w, A, low, high),
    );
  };

/** The mean drift of a unit, and what its gradient is multiplied by, where short replies count as of `minLength` tokens. */
function meanDrift(drift: readonly number[], minLength: number): readonly [mean: number, factor: number] {
  const divisor = Math.max(drift.length, minLength);
  return [total(drift) / divisor, drift.length / divisor];
}

const gspo =
  (usual: { readonly low: number; readonly high: number }) =>
  ({ clip: { low, high } = usual, minLength = 1 }: Options): UnitRule =>
  (unit, drift) => {
    const [s, factor] = meanDrift(drift, minLength);
    const term = clippedTerm(bounded(s), adv(unit), low, high);
    const shrunk = { ...term, dLogProb: term.dLogProb * factor };
    return byUnit(
      drift.map(() => shrunk),
      s,
      term.side,
    );
  };

/** Every objective that is computed here; one that is added says which options it reads. */
export const objectives: Readonly<Record<string, Objective>> = {
  gspo: { reads: ["clip", "minLength"], aggregation: "seq-mean-token-mean", rule: gspo({ low: 3e-4, high: 4e-4 }) },
  luspo: { reads: ["clip"], aggregation: "seq-mean-token-sum", rule: gspo({ low: 2e-3, high: 2.5e-3 }) },
  // The unit's ratio, clipped token by token with the token's own advantage.
  "gspo-token": {
    reads: ["clip", "minLength"],
    aggregation: "seq-mean-token-mean",
    rule:
      ({ clip: { low, high } = { low: 3e-4, high: 4e-4 }, minLength = 1 }) =>
      ({ advantages }, drift) => {
        const [s, factor] = meanDrift(drift, minLength);
        const terms = drift.map((_, t) => clippedTerm(bounded(s), advantages[t] as number, low, high));
        return {
          terms: terms.map((term) => ({ ...term, dLogProb: term.dLogProb * factor })),
          ratios: terms.map(({ side }) => ({ ratio: bounded(s), side, isBeyond: isBeyond(s) })),
        };
      },
  },
  grpo: {
    reads: ["clip", "aggregation", "constantLength", "dualClip", "maxRatio"],
    aggregation: "seq-mean-token-mean",
    rule: grpo(0.2),
  },
  "dr-grpo": {
    reads: ["clip", "constantLength", "dualClip", "maxRatio"],
    aggregation: "seq-mean-token-sum-norm",
    rule: grpo(0.2),
  },
  dapo: { reads: ["clip", "dualClip", "maxRatio"], aggregation: "token-mean", rule: grpo(0.28) },
  reinforce: {
    reads: ["aggregation", "constantLength"],
    aggregation: "token-mean",
    keepsGradient: true,
    rule: () => byToken((_, A, logProb) => ({ loss: -A * logProb, dLogProb: -A, side: 0 })),
  },
  cispo: {
    reads: ["aggregation", "constantLength", "maxRatio", "minRatio"],
    aggregation: "token-mean",
    keepsGradient: true,
    rule: ({ minRatio = 0, maxRatio = 5 }) =>
      byToken((w, A, logProb) => {
        const kept = Math.max(minRatio, Math.min(maxRatio, w));
        const side = A === 0 || kept === w ? 0 : w > maxRatio ? 1 : -1;
        return { loss: -kept * A * logProb, dLogProb: -kept * A, side };
      }),
  },
  sapo: {
    reads: ["aggregation", "constantLength", "positiveTemperature", "negativeTemperature"],
    aggregation: "seq-mean-token-mean",
    rule: ({ positiveTemperature = 1, negativeTemperature = 1.05 }) =>
      byToken((w, A) => {
        const tau = A > 0 ? positiveTemperature : negativeTemperature;
        const q = 1 / (1 + Math.exp(tau * (1 - w)));
        return { loss: (-A * 4 * q) / tau, dLogProb: -A * w * 4 * q * (1 - q), side: 0 };
      }),
  },
  gmpo: {
    reads: ["clip"],
    aggregation: "seq-mean-token-mean",
    rule:
      ({ clip: { low, high } = { low: 0.4, high: 0.4 } }) =>
      (unit, drift) => {
        const a = adv(unit);
        const kept = drift.map((d) => (a > 0 ? Math.min(d, high) : a < 0 ? Math.max(d, -low) : d));
        const s = total(kept) / kept.length;
        const loss = -bounded(s) * a;
        const terms = kept.map((b, t) => ({ loss, dLogProb: b === drift[t] ? loss : 0, side: 0 }));
        const isOutside = kept.some((b, t) => b !== drift[t]);
        return byUnit(terms, s, isOutside ? Math.sign(a) : 0);
      },
  },
  vespo: {
    reads: ["positive", "negative"],
    aggregation: "token-mean",
    keepsGradient: true,
    rule:
      ({ positive = [2, 3], negative = [3, 2] }) =>
      (unit, drift) => {
        const sum = total(drift);
        const logW = Math.min(20, Math.max(Math.log(1e-8), sum));
        const [k, lambda] = adv(unit) >= 0 ? positive : negative;
        const phi = Math.exp(lambda) * Math.exp(k * logW) * Math.exp(-lambda * Math.exp(logW));
        const ratio = { ratio: Math.exp(logW), side: 0, isBeyond: logW !== sum, length: drift.length };
        return { terms: scored(unit, phi), ratios: [ratio] };
      },
  },
  magrpo: {
    reads: [],
    aggregation: "seq-mean-token-sum",
    keepsGradient: true,
    rule: () => (unit, drift) => byUnit(scored(unit), total(drift) / drift.length, 0),
  },
};

/** What is known of an objective's settings. */
export const knownObjective: Known = named("name", objectives, options, {
  ...corrections,
  importance: knownImportance,
});
