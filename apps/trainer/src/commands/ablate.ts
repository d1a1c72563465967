import { resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import type { CommandDef } from "citty";
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
} from "@laconic/runtime";
import { actorCap, actorSpendingFlags, timeoutFlag } from "../run/spending.ts";
import { command, type ExitCode } from "../cli/command.ts";
import { positiveNumber } from "../cli/numbers.ts";
import { readGiven } from "../cli/files.ts";
import { startsOf, stoppedBy } from "../run/train-variants.ts";
import { loadConfig } from "@laconic/runtime/resolver";
import { jsonFlag, type CommandContext } from "./common.ts";

export function ablateCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "ablate",
      args: {
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
      },
      overrides: true,
      run: async (args, rest) => {
        const base = await loadConfig(args.config);
        const { variants: inWords, fixed } = variantsInWords(rest);
        for (const former of formerNamesIn(base, fixed)) terminal.warn(former);
        const own = [
          ...(args.own === undefined ? [] : variantsInFile((await readGiven(args.own)).toString("utf8"), args.own)),
          ...inWords,
        ];
        const seeds = seedsOf(args.seeds);
        const only = args.variants?.split(",").map((name) => name.trim());
        const price = args.price === undefined ? null : positiveNumber("price", args.price);
        const { variants, skipped } = await chooseVariants({ base, fixed, only, own, price }, terminal);
        for (const { variant, reason } of skipped) terminal.note(`left out ${variant}: ${reason}`);
        for (const { name, overrides } of own)
          for (const dropped of droppedSettings(applyOverrides(base, fixed), overrides))
            terminal.note(`variant ${name}: ${dropped}`);
        const folder = resolve(args.out);
        // Every held-out episode is kept: variants are compared problem by problem.
        const { train } = parseAppConfig(applyOverrides(base, fixed));
        const kept = `train.evaluation.transcripts=${train.evaluation.problems}`;
        const results = await runVariants(
          {
            base: applyOverrides(base, fixed),
            variants,
            folder,
            seeds,
            overrides: [kept],
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
        terminal.result(args.json ? JSON.stringify(report) : text);
        return 0;
      },
    },
    exit,
  );
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
