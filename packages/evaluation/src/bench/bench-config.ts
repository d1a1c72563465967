import { join } from "node:path";
import { baselines } from "@laconic/baselines";
import { benchmarkNamed } from "@laconic/benchmarks";
import { type GradeRule, gradeRules } from "@laconic/grading";
import { LaconicError } from "@laconic/core";
import { tokenPriceShape, type TokenPrice } from "@laconic/core/ledger";
import { benchFiles } from "@laconic/core/run-folder";
import { schemaOf } from "@laconic/core/schemas";
import { z } from "zod";
import { benchDataSchema, type BenchData } from "./bench-data.ts";
import { isWindow } from "./date-window.ts";
import { methodSpec } from "./method-spec.ts";
import { noneUserDefined, ownBenchSchema, type OwnBenchValues } from "./own-values.ts";
import { checkSettings, readSettings } from "./settings-file.ts";

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
  /** Whose rule decides on answers: ours, ours but for how they are written, or the benchmarks' published one. */
  readonly gradeRule: GradeRule;
  /** Of single benchmarks, instead of that. */
  readonly gradeRules: Readonly<Record<string, GradeRule>>;
  /** Whether requests and replies are kept beside the samples. */
  readonly requests: boolean;
  /** Grades free answers; null compares their characters with the gold's. */
  readonly judge: BenchModel | null;
  readonly model: string;
  readonly baseUrl: string;
  /** Questions of each benchmark; null takes all. */
  readonly limit: number | null;
  readonly seed: string;
  /** First and last day, YYYY-MM-DD, of questions of dated benchmarks, out of all their releases that are here; null leaves a side open. */
  readonly from: string | null;
  readonly to: string | null;
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
const day = z.iso.date("expected a day, YYYY-MM-DD").nullable().default(null);
/** US dollars per million tokens; null where not known. */
export const priceSchema: z.ZodType<TokenPrice | null> = schemaOf(tokenPriceShape).nullable();
const modelSchema = z.strictObject({
  model: z.string().min(1),
  baseUrl: z.string().min(1),
  price: priceSchema.default(null),
});
/** A name that stands for several methods: `all` for those that are published, `equal-budget` for single agents beside each team of them. */
function formsOf(word: string): string[] {
  if (word !== "all" && word !== "equal-budget") return [word];
  return baselines
    .filter(({ equalTokens }) => (equalTokens === true) === (word === "equal-budget"))
    .map(({ name }) => name);
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
  gradeRule: z.enum(gradeRules).default("own"),
  gradeRules: z.record(z.string(), z.enum(gradeRules)).default({}),
  requests: z.boolean().default(true),
  judge: modelSchema.nullable().default(null),
  model: z.string().min(1),
  baseUrl: z.string().min(1),
  limit: whole.nullable(),
  seed: z.string(),
  from: day,
  to: day,
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
  const config = checkSettings(schema, value, place);
  const { own, methods, benchmarks, data, actor } = config;
  const refuse = (reason: string, detail = {}): never => {
    throw new LaconicError("config_invalid", `${place}: ${reason}`, { place, ...detail });
  };
  if (methods.length + own.methods.length === 0) refuse("there are no methods");
  if (benchmarks.length + own.boards.length === 0 && data === null) refuse("there are neither benchmarks nor data");
  for (const name of benchmarks)
    if (benchmarkNamed(name).answer.kind === "writing")
      refuse(
        `${name} has no right answers, its reward judges the texts of two writers and a method gives one: compare pairs with laconic bench --tasks writing/${name}`,
        { benchmark: name },
      );
  if (actor !== null && methods.every((method) => methodSpec(method).run === null))
    refuse(
      "an actor speaks for trained teams, and there is none: add NAME=RUN to the methods, or give a published method's slot a model with --role-model",
    );
  const { from, to } = config;
  if (from !== null && to !== null && from > to) refuse(`from is ${from}, after to, ${to}`, { key: "from" });
  if (isWindow(config) && benchmarks.every((name) => benchmarkNamed(name).date === undefined))
    refuse("from and to have no effect: none of its benchmarks has dates", { key: from === null ? "to" : "from" });
  const sets = setNames(config);
  const stray = Object.keys(config.gradeRules).find((name) => !sets.includes(name));
  if (stray !== undefined)
    refuse(`grade-rule names ${stray}, which this bench does not play: it plays ${sets.join(", ")}`);
  const names = methodNames(config);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) refuse(`two methods are called ${twice}`);
  return config;
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

/** A bench's settings and its records, in its directory. */
export const settingsFile: string = benchFiles.settings;
/** One line per sample. */
export const samplesFile: string = benchFiles.samples;

/** @throws LaconicError `run_missing` for a directory without a bench */
export async function readBenchConfig(directory: string): Promise<BenchConfig> {
  return checkBenchConfig(await readSettings(directory, settingsFile), join(directory, settingsFile));
}
