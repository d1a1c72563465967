import { LaconicError } from "@laconic/core";
import { defaultBaseUrl, knownPrice, pricePair } from "@laconic/runtime/spending";
import type { BenchData } from "./bench-data.ts";
import { checkBenchConfig, type BenchConfig } from "./bench-settings.ts";
import { userDefinedBenchValues, withoutFiles } from "./own-values.ts";
import { judgeModel } from "./bench-judge.ts";
import { roleModelsOf, type RoleArguments } from "./role-models.ts";

/** What `bench` is told of models, methods and questions. */
export interface BenchArguments extends RoleArguments {
  readonly benchmarks?: string | undefined;
  readonly methods?: string | undefined;
  readonly model?: string | undefined;
  readonly "base-url"?: string | undefined;
  readonly limit?: string | undefined;
  readonly seed: string;
  readonly repeats: string;
  readonly temperature?: string | undefined;
  readonly "max-tokens"?: string | undefined;
  readonly shots?: string | undefined;
  readonly "max-usd"?: string | undefined;
  readonly price?: string | undefined;
  readonly distribute?: boolean | undefined;
  readonly actor?: string | undefined;
  readonly "actor-price"?: string | undefined;
  readonly judge?: string | undefined;
  readonly "judge-price"?: string | undefined;
  readonly concurrency: string;
}

/**
 * A bench of what the command line says.
 * @throws LaconicError `config_invalid` naming the flag
 */
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
  const list = (text: string): string[] =>
    text
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "");
  const number = (text: string | undefined): number | null => (text === undefined ? null : Number(text));
  const model = names("model");
  const baseUrl = args["base-url"] ?? defaultBaseUrl();
  const benchmarkWords = data && args.benchmarks === undefined ? [] : list(names("benchmarks"));
  const methodWords = list(names("methods"));
  return checkBenchConfig(
    {
      benchmarks: withoutFiles(benchmarkWords),
      data,
      methods: withoutFiles(methodWords),
      own: await userDefinedBenchValues(methodWords, benchmarkWords, directory),
      distribute: args.distribute === true,
      roleModels: await roleModelsOf(args, baseUrl),
      actor: args.actor ?? null,
      actorPrice: args["actor-price"] === undefined ? null : pricePair(args["actor-price"], "actor-price"),
      judge: args.judge === undefined ? null : await judgeModel(args.judge, args["judge-price"], baseUrl),
      model,
      baseUrl,
      limit: number(args.limit),
      seed: args.seed,
      repeats: Number(args.repeats),
      temperature: number(args.temperature),
      maxTokens: number(args["max-tokens"]),
      shots: number(args.shots),
      maxUsd: number(args["max-usd"]),
      price: args.price === undefined ? await knownPrice(model) : pricePair(args.price),
      concurrency: Number(args.concurrency),
    },
    "bench",
  );
}
