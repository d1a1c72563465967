import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError, nearestName } from "@laconic/core";
import type { Terminal } from "../cli/terminal.ts";
import { relayQuickstart } from "@laconic/tasks/presets";
import { formatNumber, formatPercent } from "../cli/format.ts";
import { runVariants, type Variant, type VariantResult } from "../sweep/run-variants.ts";
import { renderAblationChart } from "./ablation-chart.ts";

const variants: readonly Variant[] = [
  { name: "quickstart", about: "the preset as it is", overrides: [] },
  {
    name: "no-price",
    about: "λ = 0: no cost of tokens",
    overrides: ["train.budget=null", "train.prices.tokens=0"],
  },
  {
    name: "fixed-price",
    about: "λ fixed at 0.005 instead of Eq. 5",
    overrides: ["train.budget=null", "train.prices.tokens=0.005"],
  },
  {
    name: "no-group-normalisation",
    about: "the raw reward instead of Eq. 2",
    overrides: ['train.advantage={"estimator":"raw"}'],
  },
  {
    name: "eq2-as-printed",
    about: "Eq. 2 with its division by the group's deviation",
    overrides: ['train.advantage={"estimator":"group","scale":"group","std":"sample","epsilon":1e-6}'],
  },
  {
    name: "grpo",
    about: "GRPO's token ratios (clip 0.2) instead of GSPO",
    overrides: ['train.objective={"name":"grpo","clip":{"low":0.2,"high":0.2}}'],
  },
  {
    name: "eq5-alone",
    about: "Eq. 5 as printed: integral only, no annealing, no guard",
    overrides: ['train.budget={"targetTokens":14,"learningRate":2e-5,"warmupIterations":10}'],
  },
];

export interface AblationOptions {
  readonly folder: string;
  readonly seeds: number;
  readonly only?: readonly string[] | undefined;
  readonly overrides: readonly string[];
  readonly json: boolean;
}

/** Trains every chosen variant and writes `ablation.json`, `ablation.md` and `ablation.svg`; run again, it goes on. */
export async function ablate(options: AblationOptions, terminal: Terminal): Promise<number> {
  const { folder, seeds, only, overrides } = options;
  const onResult = (all: readonly VariantResult[]): Promise<void> => write(folder, all);
  const results = await runVariants(
    { base: { ...relayQuickstart }, variants: chosen(only), folder, seeds, overrides, file: "ablation.json", onResult },
    terminal,
  );
  if (typeof results === "number") return results;
  terminal.result(options.json ? JSON.stringify(results) : ablationTable(results));
  return 0;
}

function chosen(only: readonly string[] | undefined): readonly Variant[] {
  if (!only) return variants;
  const known = variants.map(({ name }) => name);
  return only.map((name) => {
    const variant = variants.find((each) => each.name === name);
    if (variant) return variant;
    const near = nearestName(name, known);
    throw new LaconicError(
      "config_invalid",
      `there is no variant ${name}; ${near ? `did you mean ${near}?` : `known: ${known.join(", ")}`}`,
    );
  });
}

async function write(folder: string, results: readonly VariantResult[]): Promise<void> {
  await writeFile(join(folder, "ablation.md"), `${ablationTable(results)}\n`);
  await writeFile(join(folder, "ablation.svg"), renderAblationChart(results));
}

/** Markdown, means over seeds. */
export function ablationTable(results: readonly VariantResult[]): string {
  const rows = [...new Set(results.map(({ variant }) => variant))].map((variant) => {
    const runs = results.filter((result) => result.variant === variant);
    const mean = (pick: (result: VariantResult) => number): number =>
      runs.reduce((sum, run) => sum + pick(run), 0) / runs.length;
    return `| ${variant} | ${runs[0]?.about ?? ""} | ${formatPercent(mean((run) => run.before.accuracy))} | ${formatPercent(mean((run) => run.after.accuracy))} | ${formatNumber(mean((run) => run.before.tokens))} | ${formatNumber(mean((run) => run.after.tokens))} | ${runs.length} |`;
  });
  return [
    "| variant | what changes | accuracy before | after | tokens before | after | seeds |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}
