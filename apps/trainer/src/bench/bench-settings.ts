import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { benchmarkNamed } from "@laconic/benchmarks";
import { LaconicError, type TokenPrice } from "@laconic/core";
import { issueWords } from "@laconic/core/schemas";
import { z } from "zod";
import { parseJson } from "../cli/json.ts";
import { benchDataSchema, type BenchData } from "./bench-data.ts";
import { methodSpec } from "./method-spec.ts";
import { noneUserDefined, ownBenchSchema, type OwnBenchValues } from "./own-values.ts";

/** A model of a server, and its price where that is known. */
export interface BenchModel {
  readonly model: string;
  readonly baseUrl: string;
  readonly price: TokenPrice | null;
}

/** Everything that a bench is made of, as its directory keeps it. */
export interface BenchConfig {
  readonly benchmarks: readonly string[];
  /** Questions of one's own, behind those of the benchmarks. */
  readonly data: BenchData | null;
  readonly methods: readonly string[];
  /** Methods and questions of files of one's own, behind those. */
  readonly own: OwnBenchValues;
  /** What questions state is dealt among the agents of all methods that can play so, beside whole questions. */
  readonly distribute: boolean;
  /** Models of single roles, such as `actor`, of all methods that bring none of their own. */
  readonly roleModels: Readonly<Record<string, BenchModel>>;
  /** Who speaks for the agents that do not learn in trained teams, instead of the training's; null for that. */
  readonly actor: string | null;
  /** Of a server's model that speaks for them, where its price is not public. */
  readonly actorPrice: TokenPrice | null;
  /** Grades free answers; null compares their characters with the gold's. */
  readonly judge: BenchModel | null;
  readonly model: string;
  readonly baseUrl: string;
  /** Questions of each benchmark; null takes all. */
  readonly limit: number | null;
  readonly seed: string;
  readonly repeats: number;
  /** Null takes each method's own. */
  readonly temperature: number | null;
  /** Of one reply, of every method; null takes each protocol's ceiling. */
  readonly maxTokens: number | null;
  /** Worked examples of every method, from training splits that are here; null takes each paper's. */
  readonly shots: number | null;
  readonly maxUsd: number | null;
  readonly price: TokenPrice | null;
  readonly concurrency: number;
}

const whole = z.int().min(1);
const priceSchema = z.strictObject({ prompt: z.number().min(0), completion: z.number().min(0) }).nullable();
const modelSchema = z.strictObject({
  model: z.string().min(1),
  baseUrl: z.string().min(1),
  price: priceSchema.default(null),
});
/** A name that stands for several methods. */
function formsOf(word: string): string[] {
  return word === "equal-budget" ? ["equal-budget:votes", "equal-budget:thought"] : [word];
}

const schema: z.ZodType<BenchConfig> = z.strictObject({
  benchmarks: z.array(z.string()),
  data: benchDataSchema.nullable().default(null),
  methods: z.array(z.string()).transform((words) => words.flatMap((word) => formsOf(word))),
  own: ownBenchSchema.default(noneUserDefined),
  distribute: z.boolean().default(false),
  roleModels: z.record(z.string(), modelSchema).default({}),
  actor: z.string().min(1).nullable().default(null),
  actorPrice: priceSchema.default(null),
  judge: modelSchema.nullable().default(null),
  model: z.string().min(1),
  baseUrl: z.string().min(1),
  limit: whole.nullable(),
  seed: z.string(),
  repeats: whole,
  temperature: z.number().min(0).max(2).nullable(),
  maxTokens: whole.nullable(),
  shots: z.int().min(0).nullable(),
  maxUsd: z.number().positive().nullable(),
  price: priceSchema,
  concurrency: whole,
});

/** @throws LaconicError `config_invalid` naming the setting, the benchmark or the method at fault */
export function checkBenchConfig(value: unknown, place: string): BenchConfig {
  const parsed = schema.safeParse(value, { error: issueWords });
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "settings"}: ${message}`);
    throw new LaconicError("config_invalid", `${place}: ${issues.join("; ")}`, { place });
  }
  const { own } = parsed.data;
  if (parsed.data.methods.length + own.methods.length === 0)
    throw new LaconicError("config_invalid", `${place}: there are no methods`, { place });
  if (parsed.data.benchmarks.length + own.boards.length === 0 && parsed.data.data === null)
    throw new LaconicError("config_invalid", `${place}: there are neither benchmarks nor data`, { place });
  for (const name of parsed.data.benchmarks)
    if (benchmarkNamed(name).answer.kind === "writing")
      throw new LaconicError(
        "config_invalid",
        `${place}: ${name} has no right answers, its reward judges the texts of two writers and a method gives one: compare pairs with laconic pairs --tasks writing/${name}`,
        { place, benchmark: name },
      );
  if (parsed.data.actor !== null && parsed.data.methods.every((method) => methodSpec(method).run === null))
    throw new LaconicError(
      "config_invalid",
      `${place}: an actor speaks for trained teams, and there is none: add NAME=RUN to the methods, or give a published method's slot a model with --role-model`,
      { place },
    );
  const names = methodNames(parsed.data);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new LaconicError("config_invalid", `${place}: two methods are called ${twice}`, { place });
  return parsed.data;
}

/** Its methods, as its tables order them. */
export function methodNames({ methods, own }: Pick<BenchConfig, "methods" | "own">): readonly string[] {
  return [...methods.map((method) => methodSpec(method).name), ...own.methods.map(({ name }) => name)];
}

/** What a bench asks questions of, as its tables order them. */
export function setNames({
  benchmarks,
  data,
  own,
}: Pick<BenchConfig, "benchmarks" | "data" | "own">): readonly string[] {
  return [...benchmarks, ...(data ? [data.name] : []), ...own.boards.map(({ name }) => name)];
}

export const settingsFile = "bench.json";
export const samplesFile = "samples.jsonl";

/** @throws LaconicError `run_missing` for a directory without a bench */
export async function readBenchConfig(directory: string): Promise<BenchConfig> {
  const path = join(directory, settingsFile);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new LaconicError(
      "run_missing",
      `${directory} holds no bench: there is no ${settingsFile}`,
      { directory },
      error,
    );
  });
  return checkBenchConfig(parseJson(text, path), path);
}
