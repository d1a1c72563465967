import { readFile } from "node:fs/promises";
import { join, basename } from "node:path";
import { baselineNamed, type Exemplar, baselines } from "@laconic/baselines";
import { benchmarkNamed, benchmarks as builtIn, seededSubset, type BenchmarkProblem } from "@laconic/benchmarks";
import { configError, LaconicError } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { tokenPriceShape, type TokenPrice } from "@laconic/core/ledger";
import { benchFiles } from "@laconic/core/run-folder";
import { issueWords, schemaOf } from "@laconic/core/schemas";
import { type GradeRule, gradeRules } from "@laconic/grading";
import { z } from "zod";
import type { BenchSet, BenchSettings } from "../bench-job.ts";
import { benchDataSchema, type BenchData } from "./bench-data.ts";

/** @throws LaconicError `config_invalid` naming each invalid setting */
export function checkSettings<T>(schema: z.ZodType<T>, value: unknown, location: string): T {
  const parsed = schema.safeParse(value, { error: issueWords });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "settings"}: ${message}`);
  throw configError(`${location}: ${issues.join("; ")}`, { place: location });
}

/** @throws LaconicError `run_missing` without the file, `config_invalid` for invalid JSON */
export async function readSettings(directory: string, file: string): Promise<unknown> {
  const path = join(directory, file);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new LaconicError("run_missing", `${directory} has no bench: missing ${file}`, { directory }, error);
  });
  return parseJson(text, path);
}

/** Published method, or trained team `NAME=RUN`. */
export interface MethodSpec {
  readonly name: string;
  /** Null for a published method. */
  readonly run: string | null;
}

/** @throws LaconicError `config_invalid` for an unknown method */
export function methodSpec(text: string): MethodSpec {
  return methodSpecOf(text, (name) => baselineNamed(name).name);
}

/** @param named - checks a method's name; throws if unknown */
export function methodSpecOf(text: string, named: (name: string) => string): MethodSpec {
  const index = text.indexOf("=");
  if (index < 0) return { name: named(text), run: null };
  const name = text.slice(0, index);
  const run = text.slice(index + 1);
  if (!/^[\w-]+$/u.test(name) || run === "")
    throw configError(`${text}: a trained team is written NAME=RUN`, { method: text });
  return { name, run };
}

/** Custom questions, for `bench --benchmarks ./board.ts`. */
export interface Board {
  readonly name: string;
  readonly problems: readonly BenchmarkProblem[];
  readonly exemplars?: readonly Exemplar[];
  /** Disjoint from `problems`. */
  readonly calibration?: readonly BenchmarkProblem[];
}

/** Custom value: title in tables, and module relative to the bench's folder. */
interface OwnValue {
  readonly name: string;
  readonly reference: { readonly file: string; readonly export: string };
}

/** Custom values of a bench. */
export interface OwnBenchValues {
  readonly methods: readonly OwnValue[];
  readonly boards: readonly (OwnValue & { readonly questions: number })[];
  /** SHA-256 of their files, checked on resume. */
  readonly sources: Readonly<Record<string, string>>;
}

const text = z.string();
const reference = z.strictObject({ file: text, export: text });

const ownBenchSchema: z.ZodType<OwnBenchValues> = z.strictObject({
  methods: z.array(z.strictObject({ name: text, reference })),
  boards: z.array(z.strictObject({ name: text, reference, questions: z.int().min(1) })),
  sources: z.record(text, text),
});

const grading = z.looseObject({ kind: text });
const boardProblem = z.looseObject({ id: text, question: text, gold: text, grading });

/** @throws LaconicError `config_invalid` naming the file */
export function checkBoard(board: Board, file: string): Board {
  const refuse = (reason: string): never => {
    throw configError(`${file}: the benchmark ${board.name} ${reason}`, { file });
  };
  if (builtIn.some(({ name }) => name === board.name)) refuse("has the name of an existing benchmark; rename it");
  if (board.problems.length === 0) refuse("has no problems");
  for (const [i, problem] of [...board.problems, ...(board.calibration ?? [])].entries()) {
    const parsed = boardProblem.safeParse(problem, { error: issueWords });
    const issue = parsed.error?.issues[0];
    if (issue) refuse(`has an invalid problem, number ${i + 1}: ${issue.path.join(".")}: ${issue.message}`);
  }
  const ids = board.problems.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) refuse(`has two problems with id ${twice}`);
  return board;
}

export function setOfBoard(
  { name, problems, exemplars = [], calibration = [] }: Board,
  { limit, seed }: { readonly limit: number | null; readonly seed: string },
): BenchSet {
  return {
    benchmark: name,
    split: "own",
    problems: limit === null ? problems : seededSubset(problems, { limit, seed }),
    exemplars,
    calibration,
  };
}

/** Notes for a report: `mine of ../mine.ts`. */
export function describeOwn({ methods, boards }: OwnBenchValues): string[] {
  return [...methods, ...boards].map(({ name, reference: { file, export: exported } }) => {
    const title = exported === "default" ? basename(file).replace(/\.[cm]?[jt]sx?$/u, "") : exported;
    return `${name} is ${title} of ${file}.`;
  });
}

/** Server model with its price. */
export interface BenchModel {
  readonly model: string;
  readonly baseUrl: string;
  readonly price: TokenPrice | null;
}

/** Settings of a bench; the window is for dated benchmarks. */
export interface BenchConfig
  extends BenchModel, DateWindow, Pick<BenchSettings, "repeats" | "temperature" | "maxTokens"> {
  readonly benchmarks: readonly string[];
  readonly data: BenchData | null;
  readonly methods: readonly string[];
  /** Cells to play, as METHOD/BENCHMARK. Default: all. */
  readonly cells?: readonly string[];
  readonly own: OwnBenchValues;
  /** Also plays dealt questions, if the protocol allows it. */
  readonly distribute: boolean;
  readonly roleModels: Readonly<Record<string, BenchModel>>;
  /** Frozen model of trained teams; null uses the training's. */
  readonly actor: string | null;
  readonly actorPrice: TokenPrice | null;
  readonly gradeRule: GradeRule;
  readonly gradeRules: Readonly<Record<string, GradeRule>>;
  /** Stores requests and replies. */
  readonly requests: boolean;
  /** Grades free answers; null compares characters. */
  readonly judge: BenchModel | null;
  /** Max questions per benchmark. */
  readonly limit: number | null;
  readonly seed: string;
  /** Number of worked examples. Default (null): each paper's. */
  readonly shots: number | null;
  readonly maxUsd: number | null;
  readonly concurrency: number;
}

const whole = z.int().min(1);
const day = z.iso.date("expected a day, YYYY-MM-DD").nullable().default(null);
/** US dollars per million tokens; null if unknown. */
export const priceSchema: z.ZodType<TokenPrice | null> = schemaOf(tokenPriceShape).nullable();
const modelSchema = z.strictObject({
  model: text.min(1),
  baseUrl: text.min(1),
  price: priceSchema.default(null),
});
/** Expands `all` to the published methods, `equal-budget` to the single agents. */
function formsOf(word: string): string[] {
  if (word !== "all" && word !== "equal-budget") return [word];
  return baselines
    .filter(({ equalTokens }) => (equalTokens === true) === (word === "equal-budget"))
    .map(({ name }) => name);
}

const schema: z.ZodType<BenchConfig> = z.strictObject({
  benchmarks: z.array(text),
  data: benchDataSchema.nullable().default(null),
  methods: z.array(text).transform((names) => names.flatMap(formsOf)),
  cells: z.array(text).exactOptional(),
  own: ownBenchSchema.default({ methods: [], boards: [], sources: {} }),
  distribute: z.boolean().default(false),
  roleModels: z.record(text, modelSchema).default({}),
  actor: text.min(1).nullable().default(null),
  actorPrice: priceSchema.default(null),
  gradeRule: z.enum(gradeRules).default("own"),
  gradeRules: z.record(text, z.enum(gradeRules)).default({}),
  requests: z.boolean().default(true),
  judge: modelSchema.nullable().default(null),
  ...modelSchema.shape,
  limit: whole.nullable(),
  seed: text,
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

/** @throws LaconicError `config_invalid` naming the setting, benchmark or method */
export function checkBenchConfig(value: unknown, location: string): BenchConfig {
  const config = checkSettings(schema, value, location);
  const { own, methods, benchmarks, data, actor } = config;
  const refuse = (reason: string, detail = {}): never => {
    throw configError(`${location}: ${reason}`, { place: location, ...detail });
  };
  if (methods.length + own.methods.length === 0) refuse("no methods; name at least one");
  if (benchmarks.length + own.boards.length === 0 && data === null) refuse("no questions; name a benchmark, or --data");
  for (const name of benchmarks)
    if (benchmarkNamed(name).answer.kind === "writing")
      refuse(
        `${name} needs the texts of two writers, but a method writes one; compare pairs with laconic bench --tasks writing/${name}`,
        { benchmark: name },
      );
  if (actor !== null && methods.every((method) => methodSpec(method).run === null))
    refuse("an actor needs a trained team: add NAME=RUN to the methods, or set a role's model with --role-model");
  const { from, to } = config;
  if (from !== null && to !== null && from > to) refuse(`from (${from}) is after to (${to})`, { key: "from" });
  if (isWindow(config) && benchmarks.every((name) => benchmarkNamed(name).date === undefined))
    refuse("from and to have no effect: no chosen benchmark has dates", { key: from === null ? "to" : "from" });
  const sets = setNames(config);
  const stray = Object.keys(config.gradeRules).find((name) => !sets.includes(name));
  if (stray !== undefined) refuse(`grade-rule: ${stray} is not in this bench; use one of: ${sets.join(", ")}`);
  const names = methodNames(config);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) refuse(`two methods are named ${twice}`);
  return config;
}

export function methodNames({ methods, own }: Pick<BenchConfig, "methods" | "own">): readonly string[] {
  return [...methods.map((method) => methodSpec(method).name), ...own.methods.map(({ name }) => name)];
}

export function setNames(config: Pick<BenchConfig, "benchmarks" | "data" | "own">): readonly string[] {
  const { benchmarks, data, own } = config;
  return [...benchmarks, ...(data ? [data.name] : []), ...own.boards.map(({ name }) => name)];
}

/** File of a bench's settings. */
export const settingsFile: string = benchFiles.settings;

/** @throws LaconicError `run_missing` for a folder without a bench */
export async function readBenchConfig(directory: string): Promise<BenchConfig> {
  return checkBenchConfig(await readSettings(directory, settingsFile), join(directory, settingsFile));
}

/** First and last day, YYYY-MM-DD, inclusive; null is open. */
export interface DateWindow {
  readonly from: string | null;
  readonly to: string | null;
}

export function isWindow({ from, to }: DateWindow): boolean {
  return from !== null || to !== null;
}

/** `2025-01-01..2025-03-31`; an open side is empty. */
export function windowName({ from, to }: DateWindow): string {
  return `${from ?? ""}..${to ?? ""}`;
}
