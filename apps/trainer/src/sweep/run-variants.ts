import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Terminal } from "../cli/terminal.ts";
import { parseAppConfig } from "../run/app-config.ts";
import { applyOverrides } from "../run/overrides.ts";
import { exitCodeOf, startRun } from "../run/start-run.ts";

/** A configuration by what it changes of another, as overrides. */
export interface Variant {
  readonly name: string;
  readonly about: string;
  readonly overrides: readonly string[];
}

/** One trained variant. */
export interface VariantResult {
  readonly variant: string;
  readonly about: string;
  readonly seed: number;
  readonly before: { readonly accuracy: number; readonly tokens: number };
  readonly after: { readonly accuracy: number; readonly tokens: number };
  readonly seconds: number;
}

export interface VariantOptions {
  readonly base: Readonly<Record<string, unknown>>;
  readonly variants: readonly Variant[];
  readonly folder: string;
  /** Seeds 0 up to this. */
  readonly seeds: number;
  readonly overrides: readonly string[];
  /** What was trained before: it is not trained again. */
  readonly done?: readonly VariantResult[];
  readonly onResult: (results: readonly VariantResult[]) => Promise<void>;
}

export function runFolder(folder: string, variant: string, seed: number): string {
  return join(folder, "runs", `${variant}-${seed}`);
}

/**
 * Trains every variant with every seed, each into a directory of its own.
 * @returns the results, or the exit code of an interrupted run: what is half trained is no result
 */
export async function runVariants(
  { base, variants, folder, seeds, overrides, done = [], onResult }: VariantOptions,
  terminal: Terminal,
): Promise<VariantResult[] | number> {
  await mkdir(folder, { recursive: true });
  const results: VariantResult[] = [];
  for (const { name, about, overrides: own } of variants)
    for (let seed = 0; seed < seeds; seed++) {
      const before = done.find((each) => each.variant === name && each.seed === seed);
      if (before) {
        results.push(before);
        continue;
      }
      terminal.note(`${terminal.paint("bold", name)} (${about}), seed ${seed}`);
      const config = parseAppConfig(applyOverrides(base, [...own, `train.seed=${seed}`, ...overrides]));
      const outcome = await startRun(config, runFolder(folder, name, seed), false, terminal);
      if (outcome.interrupted) return exitCodeOf(outcome);
      const side = ({ accuracy, tokens }: typeof outcome.before): VariantResult["after"] => ({ accuracy, tokens });
      const [start, end] = [side(outcome.before), side(outcome.after)];
      results.push({ variant: name, about, seed, before: start, after: end, seconds: outcome.seconds });
      await onResult(results);
    }
  await onResult(results);
  return results;
}
