import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { command, type Command } from "../cli/command.ts";
import { seedList } from "../cli/numbers.ts";
import { printResult } from "../cli/terminal.ts";
import { trainVariants } from "../run/train-variants.ts";
import { actorCap, actorSpendingFlags, timeoutFlag } from "../run/spending.ts";
import { applyOverrides, droppedSettings, parseAppConfig, variantsOf } from "@laconic/runtime";
import { writeSweep } from "@laconic/view/report";
import { withDashboard } from "../serving/with-dashboard.ts";
import { jsonFlag, trustFlag, viewFlag } from "../cli/flags.ts";
import { loadConfig } from "@laconic/runtime/resolver";

export const sweepCommand: Command = command({
  description:
    "Train one configuration with several values of its settings, such as budgets: the accuracy-token frontier",
  args: {
    config: {
      type: "positional",
      description: "run.config.ts, run.config.json or preset:NAME; several with commas between them",
    },
    seeds: {
      type: "string",
      description: "Seeds of every variant: a list or a range",
      default: "0",
      valueHint: "a,b | a-b",
    },
    out: {
      type: "string",
      description: "Folder of the sweep; the same command again goes on with what it holds",
      default: "sweep",
      valueHint: "folder",
    },
    ...actorSpendingFlags,
    ...timeoutFlag,
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
    const seeds = seedList("seeds", args.seeds);
    const folder = resolve(args.out);
    // Every test episode is kept: variants are compared problem by problem.
    const { train } = parseAppConfig(applyOverrides(base, [...(variants[0]?.overrides ?? []), ...fixed]));
    const overrides = [...fixed, `train.evaluation.transcripts=${train.evaluation.problems}`];
    const onResult = async (): Promise<void> => undefined;
    for (const variant of variants)
      for (const dropped of droppedSettings(variant.base ?? base, variant.overrides))
        terminal.note(`variant ${variant.name}: ${dropped}`);
    const plan = {
      base,
      variants,
      folder,
      seeds,
      overrides,
      file: "sweep.json",
      cap: actorCap(args),
      onResult,
    };
    return withDashboard(args.view, { folder, page: "list" }, terminal, async () => {
      const results = await trainVariants(plan, terminal);
      const { summary, text } = await writeSweep(folder, results);
      printResult(terminal, args.json, summary, () => text);
      return 0;
    });
  },
});
