import { meanOf } from "@laconic/core/numeric";
import {
  applyOverrides,
  baseVariant,
  chooseTuned,
  chooseVariants,
  droppedSettings,
  gridOf,
  knownVariants,
  parseAppConfig,
  parseTuning,
  reachedPrice,
  tuningFolder,
  variantsInFile,
  variantsInWords,
  variantsOf,
  withBaseValue,
  type SkippedVariant,
  type Tuning,
  type TuningRow,
  type Variant,
  type VariantResult,
} from "@laconic/runtime";
import { loadConfig, type WrittenConfig } from "@laconic/runtime/resolver";
import { type ActorCap } from "@laconic/runtime/spending";
import { type TrainConfig } from "@laconic/trainer";
import { writeAblation, writeSweep, writeVariantPicture } from "@laconic/view/report";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { namesFlag, positional, positiveFlag, seedsFlag, textFlag, toggle, type Values } from "../cli/arguments.ts";
import { command, type Command } from "../cli/command.ts";
import { readGiven } from "../cli/files.ts";
import { jsonFlag, trustFlag, viewFlag } from "../cli/flags.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { actorCap, actorSpendingFlags } from "../run/spending.ts";
import { trainVariants } from "../run/train-variants.ts";
import { withDashboard } from "../serving/with-dashboard.ts";

export const sweepCommand: Command = command({
  description:
    "Train one configuration with several values of its settings, such as budgets: the accuracy-token frontier",
  args: {
    config: positional("run.config.ts, run.config.json or preset:NAME; several with commas between them"),
    seeds: seedsFlag("Seeds of every variant: a list or a range", "a,b | a-b", "0"),
    out: textFlag("Folder of the sweep; the same command again continues it", "folder", "sweep"),
    ...actorSpendingFlags,
    ...trustFlag,
    ...viewFlag,
    ...jsonFlag,
  },
  rest: "settings",
  run: async (args, { terminal, rest }) => {
    const configurations = await Promise.all(
      (existsSync(args.config) ? [args.config] : args.config.split(",")).map(async (name) => ({
        name,
        base: await loadConfig(name),
      })),
    );
    const base = configurations[0]?.base ?? {};
    const { variants, fixed } = variantsOf(rest, configurations);
    const folder = resolve(args.out);
    // Comparisons by problem need all test episodes.
    const { train } = parseAppConfig(applyOverrides(base, [...(variants[0]?.overrides ?? []), ...fixed]));
    const overrides = [...fixed, `train.evaluation.transcripts=${train.evaluation.problems}`];
    for (const variant of variants)
      for (const dropped of droppedSettings(variant.base ?? base, variant.overrides))
        terminal.note(`variant ${variant.name}: ${dropped}`);
    return withDashboard(args.view, { folder, page: "list" }, terminal, async () => {
      const results = await trainVariants(
        {
          base,
          variants,
          folder,
          seeds: args.seeds,
          overrides,
          file: "sweep.json",
          cap: actorCap(args),
          onResult: async () => undefined,
        },
        terminal,
      );
      const { summary, text } = await writeSweep(folder, results);
      printResult(terminal, args.json, summary, () => text);
      return 0;
    });
  },
});

const ablateFlags = {
  config: positional("run.config.ts, run.config.json or preset:NAME"),
  seeds: seedsFlag("Seeds of every variant: a list or a range", "a,b | a-b", "1,2,3"),
  variants: namesFlag(
    `Of ${knownVariants.join(", ")}; all that the configuration has by default; base for none`,
    "a,b",
  ),
  own: textFlag('Variants of your own: {"NAME": {"key": value}}; or words, NAME:key=value', "FILE.json"),
  price: positiveFlag(
    "Of a token, for scores and fixed prices (default: what the base's budget reaches in its last tenth)",
    "λ",
  ),
  tune: textFlag(
    "A setting and its values; every variant trains with the one that is best on validation problems, and with the base's",
    "key:a,b,c",
  ),
  "tune-seeds": seedsFlag("Seeds of --tune, none of which may be among --seeds", "a,b", "101,102,103"),
  "several-factors": toggle("Let variants of your own change several factors; the report says so"),
  out: textFlag("Folder of the ablation; the same command again continues it", "folder", "ablation"),
  ...actorSpendingFlags,
  ...trustFlag,
  ...jsonFlag,
} as const;

export const ablateCommand: Command = command({
  description: "Train one configuration with one part changed at a time: no price, a fixed price, GRPO, or your own",
  args: ablateFlags,
  rest: "settings",
  run: async (args, { terminal, rest }) => {
    const folder = resolve(args.out);
    const { results, ...details } = await new Ablation(
      folder,
      await readRequest(args, rest, terminal),
      terminal,
    ).train();
    const { report, text } = await writeAblation(folder, results, details);
    printResult(terminal, args.json, report, () => text);
  },
});

/** Trains the base first, because fixed prices depend on it, and a tuning grid before its variant. */
class Ablation {
  readonly #folder: string;
  readonly #request: Request;
  readonly #settings: TrainConfig;
  readonly #terminal: Terminal;
  readonly #tuned: TuningRow[] = [];
  #tuningPrice: number | null = null;

  constructor(folder: string, request: Request, terminal: Terminal) {
    this.#folder = folder;
    this.#request = request;
    this.#settings = parseAppConfig(request.base).train;
    this.#terminal = terminal;
  }

  async train(): Promise<{
    readonly results: readonly VariantResult[];
    readonly seeds: readonly number[];
    readonly skipped: readonly SkippedVariant[];
    readonly tuned: readonly TuningRow[];
    /** Token price in scores; null without one. */
    readonly price: number | null;
  }> {
    const { tuning, seeds } = this.#request;
    // Refuses invalid variants early; any price works here.
    const checked = await this.#variants(this.#request.price ?? 1);
    const base = await this.#tune(checked.variants.slice(0, 1));
    const price = this.#request.price ?? (await this.#basePrice(base, checked.variants.slice(1)));
    const { variants, skipped } = await this.#variants(price);
    for (const { variant, reason } of skipped) this.#terminal.note(`left out ${variant}: ${reason}`);
    const others = await this.#tune(variants.slice(1));
    const untuned = tuning && base[0] ? withBaseValue(base[0], others, tuning) : [];
    const results = await this.#run([...base, ...others, ...untuned], this.#folder, seeds);
    return {
      results,
      seeds,
      skipped,
      tuned: this.#tuned,
      price: await this.#reachedPrice(this.#folder, [baseVariant], seeds),
    };
  }

  #variants(price: number | null): ReturnType<typeof chooseVariants> {
    const { config, fixed, only, ownVariants, severalFactors } = this.#request;
    return chooseVariants({ base: config, fixed, only, own: ownVariants, price, severalFactors }, this.#terminal);
  }

  #run(variants: readonly Variant[], folder: string, seeds: readonly number[]): Promise<readonly VariantResult[]> {
    const { base, cap } = this.#request;
    return trainVariants(
      {
        base,
        variants,
        folder,
        seeds,
        // Comparisons by problem need all episodes.
        overrides: [`train.evaluation.transcripts=${this.#settings.evaluation.problems}`],
        file: "ablation.json",
        cap,
        onResult: (results) => writeVariantPicture(folder, "ablation", results),
      },
      this.#terminal,
    );
  }

  /** Chooses each variant's best value of the grid. */
  async #tune(variants: readonly Variant[]): Promise<readonly Variant[]> {
    const { tuning } = this.#request;
    if (tuning === null) return variants;
    const folder = tuningFolder(this.#folder);
    const results = await this.#run(gridOf(variants, tuning), folder, tuning.seeds);
    const names = gridOf(variants.slice(0, 1), tuning).map(({ name }) => name);
    this.#tuningPrice ??= (await this.#reachedPrice(folder, names, tuning.seeds)) ?? 0;
    const { variants: chosen, rows } = chooseTuned(variants, tuning, results, this.#tuningPrice);
    this.#tuned.push(...rows);
    return chosen;
  }

  /** Price that the base's budget reaches; null if unused. */
  async #basePrice(base: readonly Variant[], others: readonly Variant[]): Promise<number | null> {
    if (!others.some(({ name }) => name.startsWith("fixed-price"))) return null;
    const { seeds } = this.#request;
    await this.#run(base, this.#folder, seeds);
    return reachedPrice(this.#folder, baseVariant, seeds);
  }

  /** Mean price of these variants' runs, unless it is set. */
  async #reachedPrice(folder: string, names: readonly string[], seeds: readonly number[]): Promise<number | null> {
    const prices = await Promise.all(names.map((name) => reachedPrice(folder, name, seeds)));
    const meanPrice = meanOf(prices.filter((price) => price !== null));
    return this.#request.price ?? meanPrice ?? this.#settings.prices["tokens"] ?? null;
  }
}

interface Request {
  readonly config: WrittenConfig;
  readonly base: WrittenConfig;
  readonly fixed: readonly string[];
  readonly ownVariants: readonly Variant[];
  readonly only: readonly string[] | undefined;
  readonly price: number | null;
  readonly seeds: readonly number[];
  readonly tuning: Tuning | null;
  readonly severalFactors: boolean;
  readonly cap: ActorCap;
}

async function readRequest(
  args: Values<typeof ablateFlags>,
  rest: readonly string[],
  terminal: Terminal,
): Promise<Request> {
  const config = await loadConfig(args.config);
  const { variants: inWords, fixed } = variantsInWords(rest);
  const ownVariants = [
    ...(args.own === undefined ? [] : variantsInFile((await readGiven(args.own)).toString("utf8"), args.own)),
    ...inWords,
  ];
  const { seeds } = args;
  const base = applyOverrides(config, fixed);
  for (const { name, overrides } of ownVariants)
    for (const dropped of droppedSettings(base, overrides)) terminal.note(`variant ${name}: ${dropped}`);
  return {
    config,
    base,
    fixed,
    ownVariants,
    only: args.variants,
    price: args.price ?? null,
    seeds,
    tuning: args.tune === undefined ? null : parseTuning(args.tune, args["tune-seeds"], seeds),
    severalFactors: args["several-factors"],
    cap: actorCap(args),
  };
}
