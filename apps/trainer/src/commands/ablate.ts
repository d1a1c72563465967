import { resolve } from "node:path";
import { meanOf } from "@laconic/core";
import type { CommandDef, ParsedArgs } from "citty";
import { writeAblation, writeVariantPicture } from "@laconic/report";
import {
  applyOverrides,
  baseVariant,
  chooseTuned,
  chooseVariants,
  droppedSettings,
  formerNamesIn,
  gridOf,
  knownVariants,
  parseAppConfig,
  parseTuning,
  reachedPrice,
  runVariants,
  tuningFolder,
  variantsInFile,
  variantsInWords,
  withBaseValue,
  type SkippedVariant,
  type StartedRun,
  type Tuning,
  type TuningRow,
  type Variant,
  type VariantResult,
} from "@laconic/runtime";
import { actorCap, actorSpendingFlags, timeoutFlag } from "../run/spending.ts";
import { command, type ExitCode } from "../cli/command.ts";
import { positiveNumber, seedList } from "../cli/numbers.ts";
import { readGiven } from "../cli/files.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { startsOf, stoppedBy } from "../run/train-variants.ts";
import { loadConfig, type WrittenConfig } from "@laconic/runtime/resolver";
import { jsonFlag, trustFlag } from "../cli/flags.ts";
import type { CommandContext } from "./common.ts";

const ablateFlags = {
  config: { type: "positional", required: true, description: "run.config.ts, run.config.json or preset:NAME" },
  seeds: {
    type: "string",
    description: "Seeds of every variant: a list or a range",
    default: "1,2,3",
    valueHint: "a,b | a-b",
  },
  variants: {
    type: "string",
    description: `Of ${knownVariants.join(", ")}; all that the configuration has by default; base for none`,
    valueHint: "a,b",
  },
  own: {
    type: "string",
    description: 'Variants of your own: {"NAME": {"key": value}}; or words, NAME:key=value',
    valueHint: "FILE.json",
  },
  price: {
    type: "string",
    description: "Of a token, for scores and fixed prices (default: what the base's budget reaches in its last tenth)",
    valueHint: "λ",
  },
  tune: {
    type: "string",
    description:
      "A setting and its values; every variant trains with the one that is best on validation problems, and with the base's",
    valueHint: "key:a,b,c",
  },
  "tune-seeds": {
    type: "string",
    description: "Seeds of --tune, none of which may be among --seeds",
    default: "101,102,103",
    valueHint: "a,b",
  },
  "several-factors": {
    type: "boolean",
    description: "Let variants of your own change several factors; the report says so",
  },
  out: {
    type: "string",
    description: "Folder of the ablation; the same command again goes on with what it holds",
    default: "ablation",
    valueHint: "folder",
  },
  ...actorSpendingFlags,
  ...timeoutFlag,
  ...trustFlag,
  ...jsonFlag,
} as const;

export function ablateCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "ablate",
      args: ablateFlags,
      overrides: true,
      run: async (args, rest) => {
        const outcome = await ablation(args, rest, terminal);
        if ("interrupted" in outcome) return stoppedBy(outcome, terminal);
        const { folder, results, ...said } = outcome;
        const { report, text } = await writeAblation(folder, `Ablation of ${args.config}`, results, said);
        printResult(terminal, args.json, report, () => text);
        return 0;
      },
    },
    exit,
  );
}

type Arguments = ParsedArgs<typeof ablateFlags>;

interface Ablation {
  readonly folder: string;
  readonly seeds: readonly number[];
  readonly skipped: readonly SkippedVariant[];
  readonly tuned: readonly TuningRow[];
  readonly results: readonly VariantResult[];
  /** Of a token in scores; null without one. */
  readonly price: number | null;
}

/** Trains the base first where fixed prices follow from it, and each variant's grid before the variant. */
async function ablation(args: Arguments, rest: readonly string[], terminal: Terminal): Promise<Ablation | StartedRun> {
  const given = await givenIn(args, rest, terminal);
  const { base, seeds, tuning } = given;
  const { train: settings } = parseAppConfig(base);
  const fixedPrice = settings.prices["tokens"] ?? null;
  const folder = resolve(args.out);
  const train = (variants: readonly Variant[], place: string, of: readonly number[]): ReturnType<typeof runVariants> =>
    runVariants(
      {
        base,
        variants,
        folder: place,
        seeds: of,
        // Every test episode is kept: variants are compared problem by problem.
        overrides: [`train.evaluation.transcripts=${settings.evaluation.problems}`],
        file: "ablation.json",
        cap: actorCap(args),
        ...startsOf(terminal),
        onResult: (soFar) => writeVariantPicture(place, "ablation", soFar),
      },
      terminal,
    );
  const tuned: TuningRow[] = [];
  /** What the base's runs in a folder reached, or the price that it has. */
  const priceIn = async (place: string, names: readonly string[], of: readonly number[]): Promise<number | null> => {
    const prices = await Promise.all(names.map((name) => reachedPrice(place, name, of)));
    return given.price ?? meanOf(prices.filter((price) => price !== null)) ?? fixedPrice;
  };
  let tunePrice: number | null = null;
  /** With the best of their grid, or as they are; a run where one was interrupted. */
  const tune = async (variants: readonly Variant[]): Promise<readonly Variant[] | StartedRun> => {
    if (tuning === null) return variants;
    const place = tuningFolder(folder);
    const grid = gridOf(variants, tuning);
    const results = await train(grid, place, tuning.seeds);
    if (!Array.isArray(results)) return results;
    const first = gridOf(variants.slice(0, 1), tuning).map(({ name }) => name);
    tunePrice ??= (await priceIn(place, first, tuning.seeds)) ?? 0;
    const { variants: chosen, rows } = chooseTuned(variants, tuning, results, tunePrice);
    tuned.push(...rows);
    return chosen;
  };
  // Refuses what is wrong before anything trains, whatever price will be reached.
  const checked = await variantsAt(given, given.price ?? 1, terminal);
  const [first, ...others] = checked.variants;
  const baseAlone = await tune(first ? [first] : []);
  if ("interrupted" in baseAlone) return baseAlone;
  const reached = given.price ?? (await priceOf(baseAlone, others, folder, seeds, train));
  if (typeof reached === "object" && reached !== null) return reached;
  const { variants, skipped } = await variantsAt(given, reached, terminal);
  for (const { variant, reason } of skipped) terminal.note(`left out ${variant}: ${reason}`);
  const rested = await tune(variants.slice(1));
  if ("interrupted" in rested) return rested;
  const [tunedBase] = baseAlone;
  const atBase = tuning && tunedBase ? withBaseValue(tunedBase, rested, tuning) : [];
  const results = await train([...baseAlone, ...rested, ...atBase], folder, seeds);
  if (!Array.isArray(results)) return results;
  return { folder, seeds, skipped, tuned, results, price: await priceIn(folder, [baseVariant], seeds) };
}

/** What the base's budget reaches, where anything is derived from it; the run where one was interrupted. */
async function priceOf(
  base: readonly Variant[],
  others: readonly Variant[],
  folder: string,
  seeds: readonly number[],
  train: (variants: readonly Variant[], place: string, of: readonly number[]) => ReturnType<typeof runVariants>,
): Promise<number | null | StartedRun> {
  if (!others.some(({ name }) => name.startsWith("fixed-price"))) return null;
  const results = await train(base, folder, seeds);
  return Array.isArray(results) ? reachedPrice(folder, baseVariant, seeds) : results;
}

interface Given {
  readonly config: WrittenConfig;
  readonly base: WrittenConfig;
  readonly fixed: readonly string[];
  readonly own: readonly Variant[];
  readonly only: readonly string[] | undefined;
  readonly price: number | null;
  readonly seeds: readonly number[];
  readonly tuning: Tuning | null;
  readonly severalFactors: boolean;
}

/** What the command line says. */
async function givenIn(args: Arguments, rest: readonly string[], terminal: Terminal): Promise<Given> {
  const config = await loadConfig(args.config);
  const { variants: inWords, fixed } = variantsInWords(rest);
  for (const former of formerNamesIn(config, fixed)) terminal.warn(former);
  const own = [
    ...(args.own === undefined ? [] : variantsInFile((await readGiven(args.own)).toString("utf8"), args.own)),
    ...inWords,
  ];
  const seeds = seedList("seeds", args.seeds);
  const only = args.variants?.split(",").map((name) => name.trim());
  const base = applyOverrides(config, fixed);
  for (const { name, overrides } of own)
    for (const dropped of droppedSettings(base, overrides)) terminal.note(`variant ${name}: ${dropped}`);
  return {
    config,
    base,
    fixed,
    own,
    only,
    price: args.price === undefined ? null : positiveNumber("price", args.price),
    seeds,
    tuning: args.tune === undefined ? null : parseTuning(args.tune, seedList("tune-seeds", args["tune-seeds"]), seeds),
    severalFactors: args["several-factors"] === true,
  };
}

/** What is trained at a price. */
function variantsAt(
  { config, fixed, only, own, severalFactors }: Given,
  price: number | null,
  terminal: Terminal,
): ReturnType<typeof chooseVariants> {
  return chooseVariants({ base: config, fixed, only, own, price, severalFactors }, terminal);
}
