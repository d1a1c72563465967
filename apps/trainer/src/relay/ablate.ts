import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { nearestName } from "@laconic/trainer";
import type { Terminal } from "../cli/terminal.ts";
import { relayQuickstart } from "../presets/relay-quickstart.ts";
import { formatNumber, formatPercent } from "../report/format.ts";
import { parseAppConfig } from "../run/app-config.ts";
import { applyOverrides } from "../run/overrides.ts";
import { exitCodeOf, startRun } from "../run/start-run.ts";
import { renderAblationChart } from "./ablation-chart.ts";

/** A variant of the quickstart: what it changes, as overrides. */
interface Variant {
  readonly name: string;
  readonly about: string;
  readonly overrides: readonly string[];
}

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

/** One trained variant. */
export interface AblationResult {
  readonly variant: string;
  readonly about: string;
  readonly seed: number;
  readonly before: { readonly accuracy: number; readonly tokens: number };
  readonly after: { readonly accuracy: number; readonly tokens: number };
  readonly seconds: number;
}

export interface AblationOptions {
  readonly folder: string;
  readonly seeds: number;
  readonly only?: readonly string[] | undefined;
  readonly overrides: readonly string[];
  readonly json: boolean;
}

/** Trains every chosen variant and writes `ablation.json`, `ablation.md` and `ablation.svg`. */
export async function ablate(options: AblationOptions, terminal: Terminal): Promise<number> {
  const results: AblationResult[] = [];
  await mkdir(options.folder, { recursive: true });
  for (const variant of chosen(options.only))
    for (let seed = 0; seed < options.seeds; seed++) {
      terminal.note(`${terminal.paint("bold", variant.name)} (${variant.about}), seed ${seed}`);
      const words = [...variant.overrides, `train.seed=${seed}`, ...options.overrides];
      const config = parseAppConfig(applyOverrides(relayQuickstart, words));
      const directory = join(options.folder, "runs", `${variant.name}-${seed}`);
      const done = await startRun(config, directory, false, terminal);
      if (done.interrupted) return exitCodeOf(done); // what is half trained is no result
      const { before, after, seconds } = done;
      const side = ({ accuracy, tokens }: typeof before): AblationResult["after"] => ({ accuracy, tokens });
      results.push({
        variant: variant.name,
        about: variant.about,
        seed,
        before: side(before),
        after: side(after),
        seconds,
      });
      await write(options.folder, results);
    }
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

async function write(folder: string, results: readonly AblationResult[]): Promise<void> {
  await writeFile(join(folder, "ablation.json"), `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(join(folder, "ablation.md"), `${ablationTable(results)}\n`);
  await writeFile(join(folder, "ablation.svg"), renderAblationChart(results));
}

/** Markdown, means over seeds. */
export function ablationTable(results: readonly AblationResult[]): string {
  const rows = [...new Set(results.map(({ variant }) => variant))].map((variant) => {
    const runs = results.filter((result) => result.variant === variant);
    const mean = (pick: (result: AblationResult) => number): number =>
      runs.reduce((sum, run) => sum + pick(run), 0) / runs.length;
    return `| ${variant} | ${runs[0]?.about ?? ""} | ${formatPercent(mean((run) => run.before.accuracy))} | ${formatPercent(mean((run) => run.after.accuracy))} | ${formatNumber(mean((run) => run.before.tokens))} | ${formatNumber(mean((run) => run.after.tokens))} | ${runs.length} |`;
  });
  return [
    "| variant | what changes | accuracy before | after | tokens before | after | seeds |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}
