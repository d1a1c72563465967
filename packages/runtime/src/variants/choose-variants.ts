import { LaconicError, nearestName } from "@laconic/core";
import { changesOf, type Change } from "@laconic/trainer";
import type { Progress } from "../progress.ts";
import type { WrittenConfig } from "../resolver/load-config.ts";
import { applyOverrides } from "../run/overrides.ts";
import { checkRun } from "../run/check-run.ts";
import { parseAppConfig, writtenConfig } from "../run/app-config.ts";
import type { AppConfig } from "../run/run-settings.ts";
import { factorsOf, factorsText } from "./factors.ts";
import type { Variant } from "./run-variants.ts";
import { baseVariant, candidatesOf, type Candidate } from "./known-variants.ts";

/** A known variant that a configuration has not got. */
export interface SkippedVariant {
  readonly variant: string;
  readonly reason: string;
}

export interface Choice {
  /** The configuration as it is, then what is compared with it. */
  readonly variants: readonly Variant[];
  readonly skipped: readonly SkippedVariant[];
}

interface ChoiceOptions {
  readonly base: WrittenConfig;
  /** Words that hold for all. */
  readonly fixed: readonly string[];
  /** Known variants by name; absent takes all that the configuration has. */
  readonly only?: readonly string[] | undefined;
  /** The user's own: always trained. */
  readonly own: readonly Variant[];
  /** Of a token, around which fixed prices lie; null leaves them out. */
  readonly price: number | null;
  /** Whether user variants may change several factors at once; their descriptions say so. */
  readonly severalFactors?: boolean;
}

/**
 * What an ablation of a configuration trains. A variant that changes nothing, or that the run would refuse, is left out with the
 * reason; one that was asked for is refused with it.
 * @throws LaconicError `config_invalid`
 */
export async function chooseVariants(options: ChoiceOptions, progress: Progress): Promise<Choice> {
  const { base, fixed, only, own, price, severalFactors = false } = options;
  const config = parseAppConfig(applyOverrides(base, fixed));
  const candidates = candidatesOf(config, price);
  const known = [baseVariant, ...candidates.map(({ name }) => name)];
  for (const name of only ?? []) if (!known.includes(name)) throw unknown(name, known);
  const twice = own.find(({ name }, i) => own.findIndex((each) => each.name === name) !== i);
  if (twice) throw new LaconicError("config_invalid", `two variants are called ${twice.name}`, { variant: twice.name });
  const variants: Variant[] = [{ name: baseVariant, about: "the configuration as it is", overrides: [] }];
  const skipped: SkippedVariant[] = [];
  const asked = new Set([...(only ?? []), ...own.map(({ name }) => name)]);
  for (const candidate of [...candidates.filter(({ name }) => !only || only.includes(name)), ...own]) {
    const { reason, changed } = await triedOn(candidate, { config, base, fixed }, progress);
    if (reason === null) variants.push(alone(candidate as Variant, changed, severalFactors));
    else if (!asked.has(candidate.name)) skipped.push({ variant: candidate.name, reason });
    else throw new LaconicError("config_invalid", `variant ${candidate.name}: ${reason}`, { variant: candidate.name });
  }
  return { variants, skipped };
}

/**
 * A variant that changes one factor, or says in its description that it changes several.
 * @throws LaconicError `config_invalid` naming them, where that is not allowed
 */
function alone(variant: Variant, changes: readonly Change[], severalFactors: boolean): Variant {
  const factors = factorsOf(changes);
  if (factors.length < 2) return variant;
  if (severalFactors)
    return { ...variant, about: `${factors.map(({ name }) => name).join(" and ")} together: ${variant.about}` };
  throw new LaconicError(
    "config_invalid",
    `variant ${variant.name} changes ${factors.length} factors: ${factorsText(factors)}; nobody could tell which one did what. Change one, or add --several-factors`,
    { variant: variant.name, factors: factors.map(({ name }) => name).join(", ") },
  );
}

/** What a variant changes; a reason where it would train nothing else than the base, or nothing at all. */
async function triedOn(
  candidate: Candidate,
  {
    config,
    base,
    fixed,
  }: { readonly config: AppConfig; readonly base: WrittenConfig; readonly fixed: readonly string[] },
  progress: Progress,
): Promise<{ readonly reason: string | null; readonly changed: readonly Change[] }> {
  if ("reason" in candidate) return { reason: candidate.reason, changed: [] };
  try {
    const varied = parseAppConfig(applyOverrides(base, [...fixed, ...candidate.overrides]));
    const changed = changesOf(writtenConfig(config), writtenConfig(varied));
    if (changed.length === 0) return { reason: "the configuration is so already; it changes nothing", changed };
    await checkRun(varied, progress);
    return { reason: null, changed };
  } catch (error) {
    if (LaconicError.is(error) && ["config_invalid", "objective_refused"].includes(error.code))
      return { reason: error.message, changed: [] };
    throw error;
  }
}

function unknown(name: string, known: readonly string[]): LaconicError {
  const near = nearestName(name, known);
  return new LaconicError(
    "config_invalid",
    `there is no variant ${name}; ${near ? `did you mean ${near}?` : `known: ${known.join(", ")}`}; one of your own is NAME:key=value`,
    { variant: name },
  );
}
