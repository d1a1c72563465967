import { type Diagnostics, inputError, LaconicError, maxReward, statisticOf } from "@laconic/core";
import { checkChoice, checkOption } from "./check-option.ts";
import { allEqual, groupRows } from "./groups.ts";
import type { MeasuredReward } from "./measure-episode.ts";
import { checkPrices, checkThreshold, type PricingOptions } from "./reward-terms.ts";

/** Options of {@link decoupledAdvantages}. */
export interface DecoupledOptions extends PricingOptions {
  /** w by cost name: a pure number for `z-score`, λ of Eq. 1 for `centred`. */
  readonly weights: Readonly<Record<string, number>>;
  /** `z-score`: (c - mean) / (std + epsilon), GDPO. `centred`: c - mean. */
  readonly costs: "z-score" | "centred";
  /** Divides by G - 1 (`sample`, default) or G (`population`). */
  readonly std?: "sample" | "population";
  /** Added to every std. Default 1e-4 (TRL). */
  readonly epsilon?: number;
  /** `sequence` z-scores the sums again over the batch (TRL). Default `none`. */
  readonly batch?: "none" | "sequence";
}

/**
 * Normalises terms and costs separately within groups: A = z(task) - Σ_c w_c n(cost_c), so that a weight keeps its
 * meaning at any group spread (GDPO, arXiv 2601.05242; TRL `normalize_then_sum`). Constant or single terms and NaN
 * costs count 0; a NaN task excludes the episode. `costWhenTaskAtLeast` compares costs only among a group's successes.
 * @param groups - group id of each episode
 * @param shares - weight of each row; default 1
 * @returns diagnostics `advantages` and `rewards/not_applicable` per episode, the others per group
 * @throws LaconicError `config_invalid`, `input_invalid`, `numeric_invalid` for an overflow or a value beyond
 * ±`maxReward`
 */
export function decoupledAdvantages(
  measured: readonly MeasuredReward[],
  groups: ArrayLike<number>,
  options: DecoupledOptions,
  shares: ArrayLike<number> = measured.map(() => 1),
): { readonly advantages: Float64Array; readonly diagnostics: Diagnostics } {
  const {
    weights,
    std = "sample",
    epsilon = 1e-4,
    batch = "none",
    costWhenTaskAtLeast: threshold = -Infinity,
  } = options;
  checkOptions(options, measured);
  const members = groupRows(groups, measured.length);
  const scale: Scale = { std, epsilon };
  const terms = [
    ...Object.keys(measured[0]?.terms ?? { task: 0 }).map((name) => ({
      name,
      weight: 1,
      values: measured.map((row) => (row.terms ?? { task: row.task })[name] ?? NaN),
      scale,
    })),
    ...Object.entries(weights).map(([name, weight]) => ({
      name,
      weight: -weight,
      values: measured.map(({ task, costs }, row) => (task >= threshold ? costOf(costs, name, row) : NaN)),
      scale: options.costs === "z-score" ? scale : null,
    })),
  ];

  for (const { name, values } of terms) checkTerm(name, values);

  const advantages = new Float64Array(measured.length);
  const diagnostics: Record<string, Diagnostics[string]> = {};
  for (const { name, weight, values, scale: termScale } of terms) {
    const equal: number[] = [];
    for (const group of members) {
      const rows = group.filter((row) => !Number.isNaN(values[row]));
      if (rows.length === 0) continue;
      const column = rows.map((row) => values[row]!);
      equal.push(allEqual(column) ? 1 : 0);
      const part = rows.map((row) => shares[row]!);
      normalise(column, part, termScale).forEach((value, i) => {
        const row = rows[i]!;
        advantages[row] = advantages[row]! + weight * value;
      });
    }
    diagnostics[`frac_zero_std/${name}`] = statisticOf(equal);
  }

  const scored = measured.flatMap(({ task }, row) => (Number.isNaN(task) ? [] : [row]));
  if (batch === "sequence")
    normalise(
      scored.map((row) => advantages[row]!),
      scored.map((row) => shares[row]!),
      scale,
    ).forEach((value, i) => (advantages[scored[i]!] = value));

  const overflown = advantages.findIndex((value) => !Number.isFinite(value));
  if (overflown >= 0)
    throw new LaconicError(
      "numeric_invalid",
      `the advantage of episode ${overflown} is ${advantages[overflown]}: a weight is too large, or a std of almost 0 needs an epsilon`,
      { row: overflown },
    );
  diagnostics["groups/size_one"] = statisticOf(members.map((group) => (group.length === 1 ? 1 : 0)));
  diagnostics["rewards/not_applicable"] = statisticOf(measured.map(({ task }) => (Number.isNaN(task) ? 1 : 0)));
  diagnostics["advantages"] = statisticOf(advantages);
  return { advantages, diagnostics };
}

interface Scale {
  readonly std: "sample" | "population";
  readonly epsilon: number;
}

function normalise(values: readonly number[], shares: readonly number[], scale: Scale | null): number[] {
  if (allEqual(values)) return values.map(() => 0);
  const sumOf = (term: (value: number) => number) =>
    values.reduce((sum, value, i) => sum + shares[i]! * term(value), 0);
  const size = shares.reduce((sum, share) => sum + share, 0);
  const mean = sumOf((value) => value) / size;
  const centred = values.map((value) => value - mean);
  if (!scale) return centred;
  const count = scale.std === "sample" ? Math.max(1, size - 1) : size;
  const std = Math.sqrt(sumOf((value) => (value - mean) ** 2) / count);
  return centred.map((value) => value / (std + scale.epsilon));
}

function checkTerm(term: string, values: readonly number[]): void {
  const row = values.findIndex((value) => Math.abs(value) > maxReward);
  if (row >= 0)
    throw new LaconicError(
      "numeric_invalid",
      `episode ${row}, term "${term}" is ${values[row]}; expected a number within ±${maxReward}, or NaN where it does not apply`,
      { row, term },
    );
}

function costOf(costs: MeasuredReward["costs"], name: string, row: number): number {
  const value = costs[name];
  if (value === undefined)
    throw inputError(`episode ${row} has no cost "${name}"; all episodes need the same costs`, { row, name });
  return value;
}

function checkOptions(options: DecoupledOptions, measured: readonly MeasuredReward[]): void {
  checkThreshold(options);
  checkPrices(options.weights, Object.keys(measured[0]?.costs ?? options.weights), "weights");
  const { costs, std = "sample", epsilon = 1e-4, batch = "none" } = options;
  checkChoice("costs", costs, "z-score", "centred");
  checkChoice("std", std, "sample", "population");
  checkChoice("batch", batch, "none", "sequence");
  checkOption("epsilon", epsilon, Number.isFinite(epsilon) && epsilon >= 0, "a finite number from 0 up");
}
