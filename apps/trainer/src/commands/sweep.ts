import { formatDuration } from "@laconic/core/text";
import {
  applyOverrides,
  baseVariant,
  chooseVariants,
  droppedSettings,
  knownVariants,
  parseAppConfig,
  planVariants,
  reachedPrice,
  runVariants,
  variantsInFile,
  variantsInWords,
  variantsOf,
  type Variant,
  type VariantOptions,
  type VariantResult,
} from "@laconic/runtime";
import { loadConfig, type WrittenConfig } from "@laconic/runtime/resolver";
import { writeAblation, writeSweep, writeVariantPicture } from "@laconic/view/report";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { exitCodeOf } from "../cli/interruption.ts";
import { grouped, namesFlag, positional, positiveFlag, seedsFlag, textFlag, toggle } from "../cli/arguments.ts";
import { command, type Command } from "../cli/command.ts";
import { readGiven } from "../cli/files.ts";
import { jsonFlag, trustFlag, viewFlag } from "../cli/flags.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { actorCap, actorSpendingFlags } from "../run/spending.ts";
import { trainRun } from "../run/train-run.ts";
import { withDashboard } from "../serving/with-dashboard.ts";

const planFlag = grouped("Run", { "dry-run": toggle("Check and list the runs with their changed settings, and stop") });

export const sweepCommand: Command = command({
  description: "Train several values of settings, such as budgets, and draw the accuracy-token frontier",
  examples: ["laconic sweep preset:relay-quickstart train.budget.targetTokens=8,14,30 --seeds 0-2"],
  args: {
    config: positional("Configuration files or preset:NAME, separated by commas"),
    ...grouped("Sampling", { seeds: seedsFlag("Seeds of every variant", "a,b | a-b", "0") }),
    ...grouped("Output", { out: textFlag("Sweep folder; the same command resumes it", "folder", "sweep") }),
    ...planFlag,
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
    noteDropped(variants, base, terminal);
    const plan = { base, variants, folder, seeds: args.seeds, overrides };
    if (args["dry-run"]) return printPlan(plan, args.json, terminal);
    return withDashboard(args.view, { folder, page: "list" }, terminal, async () => {
      const options = { ...plan, file: "sweep.json", cap: actorCap(args), onResult: async () => undefined };
      const results = await trainVariants(options, terminal);
      if (typeof results === "number") return results;
      const { summary, text } = await writeSweep(folder, results);
      printResult(terminal, args.json, summary, () => text);
      return 0;
    });
  },
});

export const ablateCommand: Command = command({
  description: "Train a configuration with one part changed at a time, and compare the results",
  examples: ["laconic sweep ablate preset:relay-quickstart --variants base,no-price --seeds 1,2,3"],
  args: {
    config: positional("Configuration file or preset:NAME"),
    ...grouped("Sampling", { seeds: seedsFlag("Seeds of every variant", "a,b | a-b", "1,2,3") }),
    ...grouped("Input", {
      variants: namesFlag(`Variants (default: all that apply): ${knownVariants.join(", ")}, or base for none`, "a,b"),
      own: textFlag('File of your variants: {"NAME": {"key": value}}; or arguments NAME:key=value', "FILE.json"),
      price: positiveFlag("Token price of scores and fixed-price variants (default: the base's last price)", "λ"),
      "several-factors": toggle("Allow your variants to change several factors"),
    }),
    ...grouped("Output", { out: textFlag("Ablation folder; the same command resumes it", "folder", "ablation") }),
    ...planFlag,
    ...actorSpendingFlags,
    ...trustFlag,
    ...jsonFlag,
  },
  rest: "settings",
  run: async (args, { terminal, rest }) => {
    const { seeds, variants: only, "several-factors": severalFactors } = args;
    const config = await loadConfig(args.config);
    const { variants: inWords, fixed } = variantsInWords(rest);
    const inFile = args.own === undefined ? [] : variantsInFile((await readGiven(args.own)).toString("utf8"), args.own);
    const custom = [...inFile, ...inWords];
    const base = applyOverrides(config, fixed);
    noteDropped(custom, base, terminal);
    const { evaluation, prices } = parseAppConfig(base).train;
    const folder = resolve(args.out);
    const plan = { base, folder, seeds, overrides: [`train.evaluation.transcripts=${evaluation.problems}`] };
    const choose = (tokenPrice: number | null): ReturnType<typeof chooseVariants> =>
      chooseVariants({ base: config, fixed, only, custom, price: tokenPrice, severalFactors }, terminal);
    const onResult = (results: readonly VariantResult[]): Promise<void> =>
      writeVariantPicture(folder, "ablation", results);
    const options = { ...plan, file: "ablation.json", cap: actorCap(args), onResult };
    const basePrice = async (): Promise<number | null> => args.price ?? reachedPrice(folder, baseVariant, seeds);
    // Refuses invalid variants before the base trains; any price works here.
    const checked = await choose(args.price ?? 1);
    const isDerived = args.price === undefined && checked.variants.some(({ name }) => name.startsWith("fixed-price"));
    if (args["dry-run"]) {
      if (isDerived) terminal.note("fixed prices are shown for a price of 1; the base's run gives the price");
      return printPlan({ ...plan, variants: checked.variants }, args.json, terminal);
    }
    const trainedBase = isDerived
      ? await trainVariants({ ...options, variants: checked.variants.slice(0, 1) }, terminal)
      : [];
    if (typeof trainedBase === "number") return trainedBase;
    const { variants, skipped } = await choose(isDerived ? await basePrice() : (args.price ?? null));
    for (const { variant, reason } of skipped) terminal.note(`skipped ${variant}: ${reason}`);
    const results = await trainVariants({ ...options, variants }, terminal);
    if (typeof results === "number") return results;
    const price = (await basePrice()) ?? prices["tokens"] ?? null;
    const { report, text } = await writeAblation(folder, results, { seeds, skipped, price });
    printResult(terminal, args.json, report, () => text);
    return 0;
  },
});

function noteDropped(variants: readonly Variant[], base: WrittenConfig, terminal: Terminal): void {
  for (const { name, overrides, base: variantBase = base } of variants)
    for (const dropped of droppedSettings(variantBase, overrides)) terminal.note(`variant ${name}: ${dropped}`);
}

async function printPlan(
  options: Parameters<typeof planVariants>[0],
  json: boolean | undefined,
  terminal: Terminal,
): Promise<number> {
  const planned = await planVariants(options, terminal);
  const runs = planned.map(({ variant: { name }, seed, changes, directory }) => {
    return { variant: name, seed, directory, changes };
  });
  printResult(terminal, json, { runs }, () =>
    [
      `${runs.length} runs in ${options.folder}, seeds ${options.seeds.join(", ")}`,
      ...options.variants.map(({ name }) => {
        const changes = runs.find(({ variant }) => variant === name)?.changes ?? [];
        const changed = changes.map(({ key, before, now }) => `${key} ${before} -> ${now}`).join(", ");
        return `${name}: ${changed || "as configured"}`;
      }),
    ].join("\n"),
  );
  return 0;
}

/** Trains with progress. @returns the results, or the exit code if a signal stops a run */
async function trainVariants(
  options: Omit<VariantOptions, "onRun" | "start">,
  terminal: Terminal,
): Promise<readonly VariantResult[] | number> {
  const outcome = await runVariants(
    {
      ...options,
      onRun({ variant: { name, about }, seed, number, runs, secondsLeft }) {
        const left = secondsLeft === null ? "" : `, about ${formatDuration(secondsLeft)} left`;
        terminal.note(`${terminal.paint("bold", name)} (${about}), seed ${seed}: run ${number} of ${runs}${left}`);
      },
      start: (config, startOptions) => trainRun(config, startOptions, terminal),
    },
    terminal,
  );
  if (Array.isArray(outcome)) return outcome;
  terminal.note("stopped; the same command continues from here");
  return exitCodeOf(outcome);
}
