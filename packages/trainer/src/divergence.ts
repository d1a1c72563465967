import { formatPercent } from "@laconic/core/text";
import * as z from "zod";
import type { DivergenceSettings } from "./settings/config.ts";

export interface PolicySigns {
  /** Mean per token in nats; NaN if nothing was trained. */
  readonly entropy: number;
  /** KL divergence from the old policy, in nats per token. */
  readonly kl: number;
  readonly optimizerSteps: number;
  readonly skipped: number;
}

export interface StepSigns {
  readonly step: number;
  /** Mean grade; NaN without grades. */
  readonly grade: number;
  readonly policies: Readonly<Record<string, PolicySigns>>;
}

export interface DivergenceWatch {
  /** Grades of the last steps, oldest first. */
  readonly recent: readonly number[];
  /** Highest mean of `recent`, with entropies by policy; null before the first grade. */
  readonly best: {
    readonly step: number;
    readonly grade: number;
    readonly entropies: Readonly<Record<string, number>>;
  } | null;
  readonly broken: string | null;
  /** Consecutive steps of a broken policy below the best. */
  readonly low: number;
  /** Consecutive steps without a finite gradient. */
  readonly stuck: number;
}

export const likelyCause = "The likely cause is the learning rate";

export const emptyWatch: DivergenceWatch = { recent: [], best: null, broken: null, low: 0, stuck: 0 };

export const watchSchema: z.ZodType<DivergenceWatch> = z.strictObject({
  recent: z.array(z.number()).readonly(),
  best: z.strictObject({ step: z.int(), grade: z.number(), entropies: z.record(z.string(), z.number()) }).nullable(),
  broken: z.string().nullable(),
  low: z.int(),
  stuck: z.int(),
});

/** Nats. The relay presets stay below 0.03 KL per step and gain 0.15 in entropy. More than 1 nat is a break. */
const brokenBy = 1;

/**
 * Steps to recover: `patience * steps`. A broken policy is low below `recovered` times the best grade, or as noise
 * without a gain.
 */
const patience = 4;
const recovered = 0.95;

/** Max share of the entropy left when a policy writes one fixed text. */
const frozenShare = 0.01;

/** Checks a step. @returns the `reason` of a divergence, else null */
export function watchStep(
  before: DivergenceWatch,
  { step, grade, policies }: StepSigns,
  { fall, steps }: DivergenceSettings,
): { readonly watch: DivergenceWatch; readonly reason: string | null } {
  const all = Object.values(policies);
  const isStuck =
    all.length > 0 && all.every((signs) => signs.optimizerSteps > 0 && signs.skipped === signs.optimizerSteps);
  const stuck = isStuck ? before.stuck + 1 : 0;
  const recent = Number.isFinite(grade) ? [...before.recent, grade].slice(-steps) : before.recent;
  const mean = recent.reduce((sum, value) => sum + value, 0) / Math.max(1, recent.length);
  const match = signOf(policies, before.best?.entropies ?? {});
  const isBest = recent.length > 0 && mean > (before.best?.grade ?? -Infinity);
  // A broken policy is compared with its entropies before the break.
  const entropies = match ? before.best?.entropies : entropiesOf(policies);
  const best = isBest ? { step, grade: mean, entropies: entropies ?? {} } : before.best;
  const broken = match?.text ?? (isBest ? null : before.broken);
  const isBetter = mean > (before.best?.grade ?? 0) / recovered;
  const isLow = match?.isNoise === true || mean < recovered * (best?.grade ?? 0);
  const low = broken !== null && isLow && !isBetter ? before.low + 1 : 0;
  const watch: DivergenceWatch = { recent, best, broken, low, stuck };
  if (stuck >= steps) return { watch, reason: `no gradient was finite in the last ${steps} steps` };
  const hasFallen = best !== null && recent.length === steps && best.grade > 0 && mean <= (1 - fall) * best.grade;
  if (broken === null || best === null || !(hasFallen || low >= patience * steps)) return { watch, reason: null };
  const grades = `the mean grade of the last ${steps} steps is ${formatPercent(mean)}, at best it was ${formatPercent(best.grade)} (step ${best.step})`;
  return { watch, reason: `${grades}${hasFallen ? "" : `, ${low} steps in a row without a recovery`}, and ${broken}` };
}

function entropiesOf(policies: StepSigns["policies"]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(policies).flatMap(([name, { entropy }]) => (Number.isFinite(entropy) ? [[name, entropy]] : [])),
  );
}

/** Describes the first broken policy; `isNoise` if its entropy rose. */
function signOf(
  policies: StepSigns["policies"],
  entropies: Readonly<Record<string, number>>,
): { readonly text: string; readonly isNoise: boolean } | null {
  for (const [name, { entropy, kl }] of Object.entries(policies)) {
    const whose = Object.keys(policies).length === 1 ? "the policy" : `the policy ${name}`;
    const first = entropies[name];
    if (Math.abs(kl) >= brokenBy)
      return { text: `${whose} moved by ${kl.toFixed(1)} nats a token in one step (actor/ppo_kl)`, isNoise: false };
    if (first === undefined || !Number.isFinite(entropy)) continue;
    const went = `${whose}'s entropy went from ${first.toFixed(3)} to ${entropy.toFixed(3)} nats a token (actor/entropy)`;
    if (entropy >= 2 * first && entropy >= first + brokenBy) return { text: went, isNoise: true };
    if (entropy < frozenShare * first) return { text: went, isNoise: false };
  }
  return null;
}
