import { join, resolve } from "node:path";
import { configError, LaconicError, dataError, type UnknownRecord } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { makeFolder, writing } from "@laconic/core/platform";
import { changesOf, explainedFileSystem, nodeFileSystem, type Change } from "@laconic/trainer";
import { z } from "zod";
import { meanOf } from "@laconic/core/numeric";
import { runFiles } from "@laconic/core/run-folder";
import { folderSource, readRows } from "@laconic/trainer/reading";
import type { StartOptions } from "../start/open-folder.ts";
import type { StartedRun } from "../start/start-run.ts";
import type { Progress } from "../progress.ts";
import { actorSpending, spentIn, type ActorCap, type Spending } from "../spending/spending.ts";
import { applyOverrides, parseAppConfig } from "../run/app-config.ts";
import { checkRun } from "../run/check-run.ts";
import { configOfRun } from "../run/open-run.ts";
import type { AppConfig } from "../run/run-settings.ts";
import { modelPlace } from "../models/model-folder.ts";

/** Overrides of a configuration. */
export interface Variant {
  readonly name: string;
  readonly about: string;
  readonly overrides: readonly string[];
  /** Configuration to override. Default: the common one. */
  readonly base?: UnknownRecord;
}

interface Side {
  readonly accuracy: number;
  readonly tokens: number;
}

/** Result of one variant and seed. */
export interface VariantResult {
  readonly variant: string;
  readonly about: string;
  /** Resolved differences from the base, by path; absent in older files. */
  readonly changes?: readonly Change[];
  readonly seed: number;
  /** Result at the start of training, after a warm start. */
  readonly before: Side;
  readonly after: Side;
  /** Final test; absent in older files. */
  readonly test?: Side;
  /** Before the warm start, if any. */
  readonly beforeLessons?: Side;
  /** Seconds of the last session. */
  readonly seconds: number;
}

const sideSchema: z.ZodType<Side> = z.strictObject({ accuracy: z.number(), tokens: z.number() });

const resultsSchema: z.ZodType<VariantResult[]> = z.array(
  z.strictObject({
    variant: z.string(),
    about: z.string(),
    changes: z.array(z.strictObject({ key: z.string(), before: z.string(), now: z.string() })).exactOptional(),
    seed: z.int(),
    before: sideSchema,
    after: sideSchema,
    test: sideSchema.exactOptional(),
    beforeLessons: sideSchema.exactOptional(),
    seconds: z.number(),
  }),
);

interface VariantRun {
  readonly variant: Variant;
  readonly seed: number;
  readonly number: number;
  readonly runs: number;
  /** Estimate from earlier runs; null for the first. */
  readonly secondsLeft: number | null;
}

type VariantStart = Required<Pick<StartOptions, "directory" | "resume" | "spending">>;

/** Options of a sweep or ablation. */
export interface VariantOptions {
  readonly base: UnknownRecord;
  readonly variants: readonly Variant[];
  readonly folder: string;
  readonly seeds: readonly number[];
  readonly overrides: readonly string[];
  /** Results file; its runs are not trained again. */
  readonly file: string;
  readonly onResult: (results: readonly VariantResult[]) => Promise<void>;
  /** Limit for all runs together. */
  readonly cap?: ActorCap;
  readonly onRun: (run: VariantRun) => void;
  readonly start: (config: AppConfig, options: VariantStart) => Promise<StartedRun>;
}

/** Folder of a variant's run with one seed. */
export function runFolder(folder: string, variant: string, seed: number): string {
  return join(folder, "runs", `${variant}-${seed}`);
}

export interface PlannedVariant {
  readonly variant: Variant;
  readonly seed: number;
  readonly config: AppConfig;
  readonly changes: readonly Change[];
  readonly directory: string;
}

/**
 * Checks every variant with every seed, without training.
 * @throws LaconicError `config_invalid` for a variant that would be refused, or a folder with the same variant under
 * other settings
 */
export async function planVariants(
  { base, variants, folder, seeds, overrides }: Omit<VariantOptions, "file" | "onResult" | "onRun" | "start">,
  progress: Progress,
): Promise<PlannedVariant[]> {
  const planned: PlannedVariant[] = [];
  for (const variant of variants)
    for (const seed of seeds) {
      const resolved = (extra: readonly string[]): AppConfig =>
        parseAppConfig(applyOverrides(variant.base ?? base, [...extra, `train.seed=${seed}`, ...overrides]));
      planned.push(await plan(variant, seed, resolved, folder, progress));
    }
  return planned;
}

/**
 * Trains every variant with every seed, after checking all. Reuses the folder's results, and resumes interrupted runs.
 * @returns the results, or the interrupted run
 * @throws LaconicError `config_invalid` for a variant that would be refused, or a folder with the same variant under
 * other settings; `training_diverged` after all others are trained; `data_invalid` for unreadable results
 */
export async function runVariants(options: VariantOptions, progress: Progress): Promise<VariantResult[] | StartedRun> {
  const { folder, file, onResult } = options;
  const done = await resultsIn(join(folder, file));
  const planned = await planVariants(options, progress);
  const spending = await sharedSpending(planned, options.cap ?? {});
  await writing(folder, () => makeFolder(folder));
  const results: VariantResult[] = [];
  const diverged: string[] = [];
  for (const [i, { variant, seed, config, changes, directory }] of planned.entries()) {
    const { name, about } = variant;
    const before = done.find((result) => result.variant === name && result.seed === seed);
    if (before) {
      results.push(before);
      continue;
    }
    options.onRun({
      variant,
      seed,
      number: i + 1,
      runs: planned.length,
      secondsLeft: secondsLeft(results, planned.length - i),
    });
    const outcome = await options
      .start(config, { directory, resume: "where-possible", spending })
      .catch((error: unknown) => {
        // Divergence is a result of this variant only.
        if (LaconicError.is(error) && error.detail["bestStep"] !== undefined) return error;
        throw error;
      });
    if (LaconicError.is(outcome)) {
      diverged.push(`${name}, seed ${seed}: ${outcome.message}`);
      continue;
    }
    if (outcome.interrupted) return outcome;
    const side = ({ accuracy, tokens }: typeof outcome.before): Side => ({ accuracy, tokens });
    const [start, end, { warmStart, seconds }] = [side(outcome.before), side(outcome.after), outcome];
    const earlier = warmStart && { beforeLessons: side(warmStart.before) };
    const test = outcome.test && { test: side(outcome.test) };
    results.push({ variant: name, about, changes, seed, before: start, after: end, ...test, ...earlier, seconds });
    await keep(join(folder, file), results, done);
    await onResult(results);
  }
  await onResult(results);
  // Results are stored; the same command without these variants reads them.
  if (diverged.length > 0)
    throw new LaconicError(
      "training_diverged",
      `${diverged.length} of ${planned.length} runs diverged, and have no result: ${diverged.join("; ")}`,
      { runs: diverged.length },
    );
  return results;
}

async function sharedSpending(planned: readonly PlannedVariant[], cap: ActorCap): Promise<Spending | null> {
  const names = new Set(planned.map(({ config: { actor } }) => JSON.stringify(actor)));
  const [first] = planned;
  if (!first) return null;
  if (names.size > 1 && Object.values(cap).some((value) => value !== undefined))
    throw configError("--max-usd, --actor-price and --timeout take one actor, and the variants have several", {
      flag: "max-usd",
    });
  // Without a cap, each run has an account.
  if (names.size > 1) return null;
  let spent = 0;
  for (const { directory } of planned) spent += await spentIn(directory);
  return actorSpending(first.config.actor, cap, spent);
}

function secondsLeft(done: readonly VariantResult[], runs: number): number | null {
  if (done.length === 0) return null;
  return (runs * done.reduce((sum, { seconds }) => sum + seconds, 0)) / done.length;
}

async function plan(
  variant: Variant,
  seed: number,
  resolved: (overrides: readonly string[]) => AppConfig,
  folder: string,
  progress: Progress,
): Promise<PlannedVariant> {
  const directory = runFolder(folder, variant.name, seed);
  let config: AppConfig;
  try {
    config = resolved(variant.overrides);
    await checkRun(config, progress);
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    throw new LaconicError(error.code, `variant ${variant.name}: ${error.message}`, error.detail, error);
  }
  const stored = await configOfRun(directory).catch((error: unknown) => {
    if (LaconicError.is(error) && error.code === "run_missing") return null;
    throw error;
  });
  const [change] = stored ? changesOf(stored, asStored(config, stored)) : [];
  if (change)
    throw configError(
      `${directory} was trained with ${change.key} ${change.before}, not ${change.now}; choose another folder with --out`,
      { directory, key: change.key },
    );
  return { variant, seed, config, changes: differencesFromBase(config, () => resolved([])), directory };
}

/** Empty if the base is valid only with a sweep's overrides. */
function differencesFromBase(config: AppConfig, base: () => AppConfig): readonly Change[] {
  try {
    return changesOf(base(), config);
  } catch (error) {
    if (LaconicError.is(error)) return [];
    throw error;
  }
}

/** Uses the stored run's resolved device, hub commit and warm-started model. */
function asStored(config: AppConfig, stored: AppConfig): AppConfig {
  const location = modelPlace(config.model);
  const isOf = (name: string): boolean =>
    [location, resolve(location)].includes(name) || name.startsWith(`${location.split("@")[0]}@`);
  const before = stored.warmStart?.model;
  return {
    ...config,
    device: config.device === "auto" ? stored.device : config.device,
    workers: config.workers === "auto" ? stored.workers : config.workers,
    model: isOf(stored.model) || (before !== undefined && isOf(before)) ? stored.model : config.model,
    warmStart: config.warmStart && { ...config.warmStart, ...(before !== undefined && { model: before }) },
  };
}

async function resultsIn(path: string): Promise<VariantResult[]> {
  const fs = explainedFileSystem(nodeFileSystem, path);
  if (!(await fs.exists(path))) return [];
  const text = new TextDecoder().decode(await fs.read(path));
  try {
    return resultsSchema.parse(boundedJson(text));
  } catch (error) {
    throw dataError(`${path} has no results; remove it, or choose another folder`, { path }, error);
  }
}

/** Atomic write, with the results of other variants. */
async function keep(
  path: string,
  variantResults: readonly VariantResult[],
  before: readonly VariantResult[],
): Promise<void> {
  const others = before.filter(
    (old) => !variantResults.some(({ variant, seed }) => variant === old.variant && seed === old.seed),
  );
  await writing(path, async () => {
    await nodeFileSystem.write(`${path}.tmp`, `${JSON.stringify([...variantResults, ...others], null, 2)}\n`);
    await nodeFileSystem.rename(`${path}.tmp`, path);
  });
}

/** Fraction of last steps in the mean price. */
const lastShare = 0.1;

/**
 * Token price that Eq. 5 reached: mean over seeds of the mean over the last tenth of steps. Null without a token
 * budget.
 */
export async function reachedPrice(folder: string, variant: string, seeds: readonly number[]): Promise<number | null> {
  const reached: number[] = [];
  for (const seed of seeds) {
    const rows = await readRows(folderSource(runFolder(folder, variant, seed)), runFiles.metrics);
    const prices = rows.flatMap((row) => {
      const price = row["budget/tokens/lambda"];
      return typeof price === "number" ? [price] : [];
    });
    const last = prices.slice(-Math.max(1, Math.round(lastShare * prices.length)));
    const mean = meanOf(last);
    if (mean !== null) reached.push(mean);
  }
  return meanOf(reached);
}
