import { readFile, writeFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { seenInTraining, type SeenInTraining, questionText } from "@laconic/benchmarks";
import { dataError, type Problem } from "@laconic/core";
import { grouped } from "@laconic/core/numeric";
import { boundedJson } from "@laconic/core/json";
import { tokenCost } from "@laconic/core/ledger";
import { makeFolder, writing, moveFile } from "@laconic/core/platform";
import { benchFiles, type StoredQuestion } from "@laconic/core/run-folder";
import { formatCount } from "@laconic/core/text";
import { z } from "zod";
import type { BenchJob } from "../bench-job.ts";
import type { Unpartitioned } from "../bench-plan.ts";
import { pairRecords, type PairRecord } from "../pairs/run-pairs.ts";
import { openRecordsOf, sampleRecords, type RecordFile, type RecordKind } from "../record-file.ts";
import type { CalibrationRecord } from "../run-bench.ts";
import { type SampleRecord, tokenCountFields } from "../sample-record.ts";
import { pairMethod, pairSamplesFile, type PairConfig } from "./pair-config.ts";

interface BenchRecords<Kept> {
  readonly file: string;
  readonly kind: RecordKind<Kept>;
  /** Known cost in US dollars, without a journal of calls. */
  spentOn(records: readonly Kept[], directory: string): Promise<number>;
}

/** Samples of methods on questions. */
export const questionRecords: BenchRecords<SampleRecord> = {
  file: benchFiles.samples,
  kind: sampleRecords,
  spentOn: async (records, directory) =>
    [...records, ...(await readCalibrations(directory))].reduce((sum, { usd }) => sum + (usd ?? 0), 0),
};

/** Samples of teams on tasks; local weights are free. */
export function taskRecords({
  methods,
  baseUrl,
  price,
}: Pick<PairConfig, "methods" | "baseUrl" | "price">): BenchRecords<PairRecord> {
  const baselines = new Set(methods.map(pairMethod).flatMap((m) => (m.run === null ? m.name : [])));
  return {
    file: pairSamplesFile,
    kind: pairRecords,
    spentOn: async (records) =>
      price === null || baseUrl === null
        ? 0
        : records
            .filter(({ method }) => baselines.has(method))
            .reduce((sum, record) => sum + tokenCost(price, record), 0),
  };
}

/** Creates a bench's folder durably. @throws LaconicError `run_unwritable` */
export function makeBenchFolder(directory: string): Promise<void> {
  return writing(directory, () => makeFolder(directory));
}

/**
 * Opens records and account for the work, and closes both.
 * @param openAccount - gets the cost so far, which the cap includes
 */
export async function inBenchFolder<Kept, Account, Result>(
  directory: string,
  { file: name, kind, spentOn }: BenchRecords<Kept>,
  openAccount: (spentUsd: number) => Promise<{ readonly account: Account; close(): Promise<void> }>,
  work: (file: RecordFile<Kept>, account: Account) => Promise<Result>,
): Promise<Result> {
  const file = await openRecordsOf(kind, join(directory, name));
  try {
    const { account, close } = await openAccount(await spentOn([...file.records.values()], directory));
    try {
      return await work(file, account);
    } finally {
      await close();
    }
  } finally {
    await file.close();
  }
}

interface RowFile<Row> {
  /** Replaces the file atomically, or removes it if there are no rows. */
  write(directory: string, rows: readonly Row[]): Promise<void>;
  /** Empty without the file. @throws LaconicError `data_invalid` for a damaged file */
  read(directory: string): Promise<Row[]>;
}

function rowFile<Row>(name: string, row: z.ZodType<Row>): RowFile<Row> {
  const schema = z.array(row);
  return {
    async write(directory, rows) {
      const path = join(directory, name);
      if (rows.length === 0) return rm(path, { force: true });
      await writeFile(`${path}.part`, `${JSON.stringify(rows, null, 2)}\n`);
      await moveFile(`${path}.part`, path);
    },
    async read(directory) {
      const path = join(directory, name);
      const text = await readFile(path, "utf8").catch(() => "[]");
      try {
        return schema.parse(boundedJson(text));
      } catch (error) {
        const reason = `${path} is damaged; laconic bench --resume rewrites it`;
        throw dataError(reason, { path }, error);
      }
    },
  };
}

const calibrations: RowFile<CalibrationRecord> = rowFile(
  "calibration.json",
  z.object({
    benchmark: z.string(),
    method: z.string(),
    setting: z.enum(["whole", "dealt"]).default("whole"),
    config: z.string(),
    learned: z.unknown(),
    questions: z.int().min(0),
    calls: z.int().min(0),
    ...tokenCountFields,
    usd: z.number().min(0).nullable().default(null),
  }),
);

/** Empty for a damaged file, so that calibrations are repeated. */
export function readCalibrations(directory: string): Promise<CalibrationRecord[]> {
  return calibrations.read(directory).catch(() => []);
}

/** Adds a calibration, or replaces that of its config. */
export async function addCalibration(directory: string, record: CalibrationRecord): Promise<void> {
  const others = (await readCalibrations(directory)).filter(({ config }) => config !== record.config);
  await calibrations.write(directory, [...others, record]);
}

const count = z.int().min(1);

/** Test questions in a team's training. */
export interface SeenByTeam extends SeenInTraining {
  readonly method: string;
  readonly benchmark: string;
}

/** Overlap of test questions with the training of teams. */
export const seenFile: RowFile<SeenByTeam> = rowFile(
  "seen-in-training.json",
  z.object({ method: z.string(), benchmark: z.string(), seen: count, of: count, first: z.string() }),
);

/** Compares a trained team's questions with its training problems. */
export function seenByTeam(method: string, pool: readonly Problem[], jobs: readonly BenchJob[]): SeenByTeam[] {
  const sets = new Set(jobs.map(({ set }) => set));
  return [...sets].flatMap(({ benchmark, problems }) => {
    const seen = seenInTraining(pool, problems);
    return seen ? [{ method, benchmark, ...seen }] : [];
  });
}

/** Describes overlaps by team and benchmark. */
export function describeSeen(rows: readonly SeenByTeam[]): string[] {
  return rows.map(
    ({ method, benchmark, seen, of, first }) =>
      `${method}: seen in training: ${formatCount(seen)} of ${formatCount(of)} questions of ${benchmark}, such as ${first}.`,
  );
}

/** Questions that are not played dealt. */
export const skippedFile: RowFile<Unpartitioned> = rowFile(
  "left-out.json",
  z.object({
    benchmark: z.string(),
    method: z.string(),
    questions: count,
    of: count,
    reason: z.string().nullable().default(null),
  }),
);

export function describeSkipped(skipped: readonly Unpartitioned[]): string[] {
  const group = skipped
    .filter(({ reason }) => reason === null)
    .map(
      ({ method, questions, of, benchmark }) =>
        `${method}: ${formatCount(questions)} of ${formatCount(of)} questions of ${benchmark}`,
    );
  const whole = skipped.filter(({ reason }) => reason !== null);
  const reasons = grouped(whole, ({ reason }) => reason).map((same) => {
    const methods = new Set(same.map(({ method }) => method));
    return `Played on whole questions only: ${[...methods].join(", ")}. ${same[0].reason}`;
  });
  return [
    ...(group.length > 0 ? [`Skipped, because they state fewer than two facts to deal: ${group.join("; ")}.`] : []),
    ...reasons,
  ];
}

const maxTests = 20_000;

export async function writeQuestions(
  directory: string,
  jobs: readonly Pick<BenchJob, "set" | "problem">[],
): Promise<void> {
  const lines = new Map<string, string>();
  for (const { set, problem } of jobs) {
    const { id, gold, grading } = problem;
    const question: StoredQuestion = {
      benchmark: set.benchmark,
      id,
      question: questionText(problem),
      gold,
      grading: grading.kind,
      tests: grading.kind === "code" ? grading.test.slice(0, maxTests) : null,
    };
    const key = JSON.stringify([set.benchmark, id]);
    if (!lines.has(key)) lines.set(key, `${JSON.stringify(question)}\n`);
  }
  const text = [...lines.values()].join("");
  const path = join(directory, benchFiles.questions);
  if ((await readFile(path, "utf8").catch(() => null)) !== text) await writeFile(path, text);
}
