import { inputError, ragged, raggedRow, mapValues } from "@laconic/core";
import type { BatchTotals, Objective, ObjectiveInput, Ragged } from "@laconic/core";
import { checkChoice } from "./check-option.ts";
import { numberNames } from "./grouping.ts";
import { checkLogProbs } from "./prepare.ts";

/** Utterance, agent's turn, agent's episode, or team's episode. */
export type RatioUnit = "message" | "turn" | "trajectory" | "joint";

export interface UnitItem {
  readonly episode: string | number;
  readonly agent: string;
  readonly turn: number;
}

const coordinatesOf: Readonly<Record<RatioUnit, (item: UnitItem, message: number) => readonly unknown[]>> = {
  message: (_, message) => [message],
  turn: ({ episode, agent, turn }) => [episode, agent, turn],
  trajectory: ({ episode, agent }) => [episode, agent],
  joint: ({ episode }) => [episode],
};

/**
 * Unit ids by first appearance.
 * @throws LaconicError `config_invalid`
 */
export function unitIndex(items: readonly UnitItem[], unit: RatioUnit): Int32Array {
  checkChoice("ratio unit", unit, Object.keys(coordinatesOf));
  return numberNames(items.map(coordinatesOf[unit]));
}

/**
 * Joins messages into units before the ratio, which changes |y|; the gradient is per message. N counts units: of the
 * input, or `totalUnits` for a partial batch.
 * @param units - unit id of each sequence; units must be complete
 * @param totalUnits - units with a trained token in the optimizer batch
 * @throws LaconicError `input_invalid` for ids with gaps, different advantages within a unit, or a larger batch without
 * `totalUnits`
 */
export function withRatioUnits(objective: Objective, units: Int32Array, totalUnits?: number): Objective {
  return {
    ...objective,
    evaluate(input: ObjectiveInput) {
      checkLogProbs(input); // Sequences still have the caller's indices.
      const members = byUnit(units, input.logProbs.offsets.length - 1);
      const join = (data: Ragged): Ragged =>
        ragged(members.map((rows) => rows.flatMap((row) => [...raggedRow(data, row)])));
      const output = objective.evaluate({
        ...input,
        ...(input.totals && { totals: unitTotals(input, input.totals, members, totalUnits) }),
        logProbs: join(input.logProbs),
        oldLogProbs: join(input.oldLogProbs),
        ...(input.refLogProbs && { refLogProbs: join(input.refLogProbs) }),
        ...(input.policyLogProbs && {
          policyLogProbs: mapValues(input.policyLogProbs, join),
        }),
        ...(input.rollLogProbs && { rollLogProbs: join(input.rollLogProbs) }),
        ...(input.mask && { mask: joinMask(input, members) }),
        advantages: Float64Array.from(members, (rows) => sharedAdvantage(input, rows)),
        ...(input.groups && {
          groups: Int32Array.from(members, (rows) => input.groups?.[rows[0]!] as number),
        }),
      });
      return { ...output, gradient: scatter(output.gradient, input.logProbs, members) };
    },
  };
}

function byUnit(units: Int32Array, sequences: number): number[][] {
  if (units.length !== sequences) throw inputError(`${units.length} unit ids for ${sequences} sequences`);
  const members: number[][] = [];
  units.forEach((unit, row) => (members[unit] ??= []).push(row));
  const gap = Array.from(members).indexOf(undefined!);
  if (gap >= 0 || units.some((unit) => unit < 0))
    throw inputError(
      gap >= 0
        ? `ratio units: no sequence has id ${gap}; ids run from 0 without gaps, as from unitIndex`
        : "ratio units: ids must not be negative",
    );
  return members;
}

function unitTotals(
  { logProbs, mask }: ObjectiveInput,
  totals: BatchTotals,
  members: readonly number[][],
  totalUnits: number | undefined,
): BatchTotals {
  if (totalUnits !== undefined) return { ...totals, sequences: totalUnits };
  const tokensOf = (row: number) => {
    const [start, end] = [logProbs.offsets[row]!, logProbs.offsets[row + 1]!];
    return mask ? mask.subarray(start, end).filter((trained) => trained !== 0).length : end - start;
  };
  const tokens = members.map((rows) => rows.reduce((sum, row) => sum + tokensOf(row), 0));
  const own = tokens.reduce((sum, count) => sum + count, 0);
  if (own !== totals.tokens)
    throw inputError(
      `ratio units: this call has ${own} of the batch's ${totals.tokens} tokens; give withRatioUnits the units of the whole batch as totalUnits`,
    );
  return { ...totals, sequences: tokens.filter((count) => count > 0).length };
}

function sharedAdvantage({ advantages, logProbs }: ObjectiveInput, rows: readonly number[]): number {
  if (advantages.length !== logProbs.offsets.length - 1)
    throw inputError("ratio units need one advantage per sequence");
  const first = advantages[rows[0]!]!;
  const other = rows.find((row) => advantages[row] !== first);
  if (other !== undefined)
    throw inputError(`sequences ${rows[0]} and ${other} share a ratio unit but not an advantage`);
  return first;
}

function joinMask({ mask, logProbs }: ObjectiveInput, members: readonly number[][]): Uint8Array {
  return Uint8Array.from(
    members.flatMap((rows) =>
      rows.flatMap((row) => [...(mask?.subarray(logProbs.offsets[row], logProbs.offsets[row + 1]) ?? [])]),
    ),
  );
}

function scatter(joined: Float64Array, layout: Ragged, members: readonly number[][]): Float64Array {
  const gradient = new Float64Array(layout.values.length);
  let index = 0;
  for (const row of members.flat()) {
    const start = layout.offsets[row]!;
    const length = layout.offsets[row + 1]! - start;
    gradient.set(joined.subarray(index, index + length), start);
    index += length;
  }
  return gradient;
}
