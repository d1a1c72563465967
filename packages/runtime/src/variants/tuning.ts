import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { baseVariant } from "./known-variants.ts";
import type { Variant, VariantResult } from "./run-variants.ts";

/** A setting that every variant is tuned by, its values, and the seeds of that, which are not those of the result. */
export interface Tuning {
  readonly key: string;
  readonly values: readonly string[];
  readonly seeds: readonly number[];
}

/** One point of the grid in one variant, as it did on validation problems. */
export interface TuningRow {
  readonly variant: string;
  readonly value: string;
  readonly seeds: readonly number[];
  readonly accuracy: number;
  readonly tokens: number;
  /** Accuracy less price times tokens. */
  readonly score: number;
  readonly chosen: boolean;
}

/** Folder of tuning runs inside an ablation's. */
export const tuningFolder = (folder: string): string => join(folder, "tuning");

/**
 * Reads `KEY:a,b,c`.
 * @throws LaconicError `config_invalid` for one value, and for seeds that also report
 */
export function parseTuning(text: string, seeds: readonly number[], reported: readonly number[]): Tuning {
  const at = text.indexOf(":");
  const [key, values] = [
    text.slice(0, at),
    text
      .slice(at + 1)
      .split(",")
      .map((value) => value.trim()),
  ];
  if (at < 1 || values.length < 2 || values.includes("") || new Set(values).size < values.length)
    throw new LaconicError(
      "config_invalid",
      `--tune is ${text}, expected a setting and two or more values, such as train.optimizer.learningRate.peak:1e-4,3e-4`,
      { flag: "tune" },
    );
  const both = seeds.filter((seed) => reported.includes(seed));
  if (both.length > 0)
    throw new LaconicError(
      "config_invalid",
      `--tune-seeds and --seeds both have ${both.join(", ")}; what was chosen by a seed must not be judged by it`,
      { flag: "tune-seeds" },
    );
  return { key, values, seeds };
}

/** Every value of the grid in every variant, as variants. */
export function gridOf(variants: readonly Variant[], { key, values }: Tuning): readonly Variant[] {
  return variants.flatMap(({ name, about, overrides }) =>
    values.map((value, i) => ({
      name: nameAt(name, i),
      about: `${about}; ${key}=${value}`,
      overrides: [...overrides, `${key}=${value}`],
    })),
  );
}

/**
 * Of variants whose tuned value is not the base's, the same with the base's: what differs from the base there is the variant alone.
 * @param base - the tuned base
 */
export function withBaseValue(base: Variant, tuned: readonly Variant[], { key }: Tuning): readonly Variant[] {
  const value = base.overrides.at(-1) as string;
  return tuned
    .filter(({ overrides }) => overrides.at(-1) !== value)
    .map(({ name, about, overrides }) => ({
      name: `${name}@${baseVariant}`,
      about: `${about}; ${key} as the base has it`,
      overrides: [...overrides.slice(0, -1), value],
    }));
}

/**
 * The value of each variant with the best mean score on validation problems, the earlier one of equals.
 * @param price - of a token in the score
 */
export function chooseTuned(
  variants: readonly Variant[],
  tuning: Tuning,
  results: readonly VariantResult[],
  price: number,
): { readonly variants: readonly Variant[]; readonly rows: readonly TuningRow[] } {
  const chosen = variants.map((variant) => {
    const scored = tuning.values.map((value, i) => {
      const runs = results.filter((each) => each.variant === nameAt(variant.name, i));
      const mean = (pick: (side: VariantResult["after"]) => number): number =>
        runs.reduce((sum, { after }) => sum + pick(after), 0) / runs.length;
      const [accuracy, tokens] = [mean((side) => side.accuracy), mean((side) => side.tokens)];
      return { variant: variant.name, value, seeds: tuning.seeds, accuracy, tokens, score: accuracy - price * tokens };
    });
    const best = scored.reduce((first, each) => (each.score > first.score ? each : first));
    return {
      variant: { ...variant, overrides: [...variant.overrides, `${tuning.key}=${best.value}`] },
      rows: scored.map((each) => ({ ...each, chosen: each === best })),
    };
  });
  return { variants: chosen.map(({ variant }) => variant), rows: chosen.flatMap(({ rows }) => rows) };
}

function nameAt(variant: string, i: number): string {
  return `${variant}-value-${i + 1}`;
}
