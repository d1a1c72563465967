import { resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import type { CommandDef, ParsedArgs } from "citty";
import { writeAblation, writeVariantPicture } from "@laconic/report";
import {
  applyOverrides,
  chooseVariants,
  droppedSettings,
  formerNamesIn,
  knownVariants,
  parseAppConfig,
  runVariants,
  variantsInFile,
  variantsInWords,
  type SkippedVariant,
  type VariantOptions,
} from "@laconic/runtime";
import { actorCap, actorSpendingFlags, timeoutFlag } from "../run/spending.ts";
import { command, type ExitCode } from "../cli/command.ts";
import { positiveNumber } from "../cli/numbers.ts";
import { readGiven } from "../cli/files.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { startsOf, stoppedBy } from "../run/train-variants.ts";
import { loadConfig } from "@laconic/runtime/resolver";
import { jsonFlag } from "../cli/flags.ts";
import type { CommandContext } from "./common.ts";

const ablateFlags = {
  config: { type: "positional", required: true, description: "run.config.ts, run.config.json or preset:NAME" },
  seeds: {
    type: "string",
    description: "Seeds of every variant, with commas",
    default: "1,2,3",
    valueHint: "a,b",
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
    description: "Of a token, for fixed-price (default: a tenth of the budget's maxPrice)",
    valueHint: "λ",
  },
  out: {
    type: "string",
    description: "Folder of the ablation; the same command again goes on with what it holds",
    default: "ablation",
    valueHint: "folder",
  },
  ...actorSpendingFlags,
  ...timeoutFlag,
  ...jsonFlag,
} as const;

export function ablateCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "ablate",
      args: ablateFlags,
      overrides: true,
      run: async (args, rest) => {
        const { base, variants, skipped, seeds } = await ablationOf(args, rest, terminal);
        const folder = resolve(args.out);
        const results = await runVariants(
          {
            base,
            variants,
            folder,
            seeds,
            // Every held-out episode is kept: variants are compared problem by problem.
            overrides: [`train.evaluation.transcripts=${parseAppConfig(base).train.evaluation.problems}`],
            file: "ablation.json",
            cap: actorCap(args),
            ...startsOf(terminal),
            onResult: (soFar) => writeVariantPicture(folder, "ablation", soFar),
          },
          terminal,
        );
        if (!Array.isArray(results)) return stoppedBy(results, terminal);
        const heading = `Ablation of ${args.config}`;
        const { report, text } = await writeAblation(folder, heading, results, { seeds, skipped });
        printResult(terminal, args.json, report, () => text);
        return 0;
      },
    },
    exit,
  );
}

/** What is trained, of what the command line says; names what is left out. */
async function ablationOf(
  args: ParsedArgs<typeof ablateFlags>,
  rest: readonly string[],
  terminal: Terminal,
): Promise<Pick<VariantOptions, "base" | "variants" | "seeds"> & { readonly skipped: readonly SkippedVariant[] }> {
  const given = await loadConfig(args.config);
  const { variants: inWords, fixed } = variantsInWords(rest);
  for (const former of formerNamesIn(given, fixed)) terminal.warn(former);
  const own = [
    ...(args.own === undefined ? [] : variantsInFile((await readGiven(args.own)).toString("utf8"), args.own)),
    ...inWords,
  ];
  const seeds = seedsOf(args.seeds);
  const only = args.variants?.split(",").map((name) => name.trim());
  const price = args.price === undefined ? null : positiveNumber("price", args.price);
  const { variants, skipped } = await chooseVariants({ base: given, fixed, only, own, price }, terminal);
  for (const { variant, reason } of skipped) terminal.note(`left out ${variant}: ${reason}`);
  const base = applyOverrides(given, fixed);
  for (const { name, overrides } of own)
    for (const dropped of droppedSettings(base, overrides)) terminal.note(`variant ${name}: ${dropped}`);
  return { base, variants, skipped, seeds };
}

/** @throws LaconicError `config_invalid` unless they are whole numbers, each once */
function seedsOf(text: string): number[] {
  const seeds = text.split(",").map((each) => (each.trim() === "" ? Number.NaN : Number(each)));
  if (seeds.every((seed) => Number.isSafeInteger(seed) && seed >= 0) && new Set(seeds).size === seeds.length)
    return seeds;
  throw new LaconicError("config_invalid", `--seeds is ${text}, expected whole numbers such as 1,2,3, each once`, {
    flag: "seeds",
  });
}
