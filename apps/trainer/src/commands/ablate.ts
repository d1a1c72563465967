import { resolve } from "node:path";
import { writeAblation, writeVariantPicture } from "@laconic/view/report";
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
  withBaseValue,
  type SkippedVariant,
  type Tuning,
  type TuningRow,
  type Variant,
  type VariantResult,
} from "@laconic/runtime";
import type { ActorCap } from "@laconic/runtime/spending";
import { actorCap, actorSpendingFlags, timeoutFlag } from "../run/spending.ts";
import { command, type Command, type Values } from "../cli/command.ts";
import { positiveNumber, seedList } from "../cli/numbers.ts";
import { readGiven } from "../cli/files.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { trainVariants } from "../run/train-variants.ts";
import { loadConfig, type WrittenConfig } from "@laconic/runtime/resolver";
import type { TrainConfig } from "@laconic/trainer";
import { jsonFlag, trustFlag } from "../cli/flags.ts";

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

export const ablateCommand: Command = command({
  description: "Train one configuration with one part changed at a time: no price, a fixed price, GRPO, or your own",
  args: ablateFlags,
  rest: "settings",
  run: async (args, { terminal, rest }) => {
    const request = await readRequest(args, rest, terminal);
    const { results, ...details } = await new Ablation(resolve(args.out), request, terminal).train();
    const { report, text } = await writeAblation(resolve(args.out), results, details);
    printResult(terminal, args.json, report, () => text);
  },
});

/** Trains the base first, since fixed prices follow from it, and the tuning grid of a variant before the variant. */
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
    /** Of a token in scores; null without one. */
    readonly price: number | null;
  }> {
    const { tuning, seeds } = this.#request;
    // Refuses wrong variants before anything trains; the price does not matter for that.
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
        // Variants are compared problem by problem.
        overrides: [`train.evaluation.transcripts=${this.#settings.evaluation.problems}`],
        file: "ablation.json",
        cap,
        onResult: (results) => writeVariantPicture(folder, "ablation", results),
      },
      this.#terminal,
    );
  }

  /** The variants with the best value of their grid. */
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

  /** The price that the base's budget reaches; null if no variant needs it. */
  async #basePrice(base: readonly Variant[], others: readonly Variant[]): Promise<number | null> {
    if (!others.some(({ name }) => name.startsWith("fixed-price"))) return null;
    const { seeds } = this.#request;
    await this.#run(base, this.#folder, seeds);
    return reachedPrice(this.#folder, baseVariant, seeds);
  }

  /** The mean price of the named variants' runs, unless the command line or the configuration fixes it. */
  async #reachedPrice(folder: string, names: readonly string[], seeds: readonly number[]): Promise<number | null> {
    const prices = await Promise.all(names.map((name) => reachedPrice(folder, name, seeds)));
    const meanPrice = meanOf(prices.filter((price) => price !== null));
    return this.#request.price ?? meanPrice ?? this.#settings.prices["tokens"] ?? null;
  }
}

/** What the command line asks for. */
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
  const seeds = seedList("seeds", args.seeds);
  const only = args.variants?.split(",").map((name) => name.trim());
  const base = applyOverrides(config, fixed);
  for (const { name, overrides } of ownVariants)
    for (const dropped of droppedSettings(base, overrides)) terminal.note(`variant ${name}: ${dropped}`);
  return {
    config,
    base,
    fixed,
    ownVariants,
    only,
    price: args.price === undefined ? null : positiveNumber("price", args.price),
    seeds,
    tuning: args.tune === undefined ? null : parseTuning(args.tune, seedList("tune-seeds", args["tune-seeds"]), seeds),
    severalFactors: args["several-factors"] === true,
    cap: actorCap(args),
  };
}
