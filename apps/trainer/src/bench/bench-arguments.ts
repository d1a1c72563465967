import { LaconicError } from "@laconic/core";
import { wordTable } from "@laconic/core/checks";
import type { TokenPrice } from "@laconic/core/ledger";
import { checkBenchConfig, type BenchConfig, type BenchData, type BenchModel } from "@laconic/evaluation/bench";
import { defaultBaseUrl, knownPrice, namedModel, parsePrice } from "@laconic/runtime/spending";
import { wordsIn } from "../cli/arguments.ts";
import { userDefinedBenchValues, withoutFiles } from "@laconic/runtime/bench";
import type { BenchArguments } from "./bench-flags.ts";

/** @throws LaconicError `config_invalid` with the flag */
export async function configOf(args: BenchArguments, directory: string, data: BenchData | null): Promise<BenchConfig> {
  const names = (flag: "benchmarks" | "methods" | "model"): string => {
    const given = args[flag];
    if (given) return given;
    throw new LaconicError(
      "config_invalid",
      `--${flag} is missing${flag === "benchmarks" ? ", or --data" : ""}; see laconic bench --help`,
      { flag },
    );
  };
  // A plan calls no model, so any name works.
  const model = args["dry-run"] && args.model === undefined ? "any model" : names("model");
  const baseUrl = args["base-url"] ?? defaultBaseUrl();
  const benchmarkWords = data && args.benchmarks === undefined ? [] : wordsIn(names("benchmarks"));
  const methodWords = wordsIn(names("methods"));
  return checkBenchConfig(
    {
      benchmarks: withoutFiles(benchmarkWords),
      data,
      methods: withoutFiles(methodWords),
      own: await userDefinedBenchValues(methodWords, benchmarkWords, directory),
      distribute: args.distribute,
      roleModels: await roleModelsOf(args, baseUrl),
      actor: args.actor ?? null,
      actorPrice: args["actor-price"] ?? null,
      ...gradeRulesOf(args["grade-rule"]),
      requests: args.requests ?? true,
      judge: args.judge === undefined ? null : await pricedModel("judge", args.judge, baseUrl, args["judge-price"]),
      model,
      baseUrl,
      limit: args.limit ?? null,
      seed: args.seed,
      from: args.from ?? null,
      to: args.to ?? null,
      repeats: args.repeats,
      temperature: args.temperature ?? null,
      maxTokens: args["max-tokens"] ?? null,
      shots: args.shots ?? null,
      maxUsd: args["max-usd"] ?? null,
      price: args.price ?? (await knownPrice(model)),
      concurrency: args.concurrency ?? 32,
    },
    "bench",
  );
}

/**
 * Reads `actor=NAME@URL,router=NAME`, and prices such as `actor=0.15/0.6`.
 * @throws LaconicError `config_invalid` with the flag
 */
async function roleModelsOf(args: BenchArguments, baseUrl: string): Promise<Record<string, BenchModel>> {
  const prices = Object.fromEntries(
    slotsIn("role-price", args["role-price"]).map(([slot, price]) => [slot, parsePrice(price, "role-price")]),
  );
  const models: Record<string, BenchModel> = {};
  for (const [slot, text] of slotsIn("role-model", args["role-model"])) {
    if (Object.hasOwn(models, slot)) throw refused("role-model", `${slot} has two models`);
    models[slot] = await pricedModel("role-model", text, baseUrl, prices[slot]);
  }
  const stray = Object.keys(prices).find((slot) => !Object.hasOwn(models, slot));
  if (stray !== undefined) throw refused("role-price", `${stray} has no model of its own; give --role-model`);
  return models;
}

/** The hint's writer has its paper's name in teams. */
const aliases: Readonly<Record<string, string>> = wordTable({ hint: "collaborator" });

function slotsIn(flag: string, text = ""): [slot: string, value: string][] {
  return text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const at = part.indexOf("=");
      const slot = part.slice(0, at).trim();
      const value = part.slice(at + 1).trim();
      if (at < 1 || value === "") throw refused(flag, `${JSON.stringify(part)} is not ROLE=...`);
      return [Object.hasOwn(aliases, slot) ? (aliases[slot] as string) : slot, value];
    });
}

/** Reads `published`, `math500=published,gsm8k=own`, or both: `lenient,math500=published`. */
function gradeRulesOf(text = ""): { readonly gradeRule?: string; readonly gradeRules: Record<string, string> } {
  const words = wordsIn(text);
  const [first, ...more] = words.filter((word) => !word.includes("="));
  if (more.length > 0)
    throw refused("grade-rule", `names several rules for all benchmarks: ${[first, ...more].join(", ")}`);
  const pairs = words.filter((word) => word.includes("=")).map((word) => word.split("=", 2) as [string, string]);
  const twice = pairs.find(([name], i) => pairs.findIndex(([other]) => other === name) !== i);
  if (twice) throw refused("grade-rule", `${twice[0]} has two rules`);
  return { ...(first !== undefined && { gradeRule: first }), gradeRules: Object.fromEntries(pairs) };
}

/** Reads `NAME@URL`; the public price is the default. @throws LaconicError `config_invalid` with the flag */
async function pricedModel(
  flag: string,
  text: string,
  baseUrl: string,
  price: TokenPrice | undefined,
): Promise<BenchModel> {
  const named = namedModel(text, baseUrl, flag);
  return { ...named, price: price ?? (await knownPrice(named.model)) };
}

function refused(flag: string, reason: string): LaconicError {
  return new LaconicError("config_invalid", `--${flag}: ${reason}`, { flag });
}
