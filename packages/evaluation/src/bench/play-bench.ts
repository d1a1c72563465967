import { familyOf, type RunProgram } from "@laconic/baselines";
import { mathsGrader, type Graders } from "@laconic/grading";
import type { LanguageModel } from "@laconic/core";
import { disposing } from "@laconic/core/async";
import { openJobs } from "../bench-plan.ts";
import type { RecordFile } from "../record-file.ts";
import { runBench, type BenchOutcome } from "../run-bench.ts";
import type { SampleRecord } from "../sample-record.ts";
import { openJudge, openRoleModels, type Environment, type OpenModel, type PreparedBench } from "./prepare-bench.ts";
import { openCallFile } from "../kept-calls.ts";
import { writeQuestions, addCalibration, readCalibrations } from "./bench-folder.ts";
import { join } from "node:path";
import { benchFiles } from "@laconic/core/run-folder";

export interface BenchPlayers {
  readonly model: LanguageModel;
  readonly openModel: OpenModel;
  readonly environment: Environment;
  /** Opened if questions or methods run programs. */
  openSandbox(): Promise<{
    readonly code: NonNullable<Graders["code"]>;
    readonly runProgram: RunProgram;
    close(): Promise<void>;
  }>;
  readonly maxErrors: number;
  readonly signal: AbortSignal;
  onStart(samples: number): (record: SampleRecord) => void;
  note(text: string): void;
}

/** Takes missing and failed samples of open teams. */
export async function playBench(
  directory: string,
  { config, settings, jobs }: PreparedBench,
  file: RecordFile,
  { model, openModel, environment, openSandbox, maxErrors, signal, onStart, note }: BenchPlayers,
): Promise<BenchOutcome> {
  const todo = openJobs(jobs, file.records);
  if (todo.length < jobs.length) note(`${jobs.length - todo.length} samples exist already`);
  const needsSandbox = todo.some(
    ({ problem, protocol }) => familyOf(problem.grading.kind) === "code" || protocol?.runsPrograms === true,
  );
  await writeQuestions(directory, jobs);
  return disposing(async (closing) => {
    const callFile = config.requests
      ? await openCallFile(join(directory, benchFiles.calls), file.records.values())
      : null;
    if (callFile) closing.defer(() => callFile.close());
    const maths = mathsGrader();
    closing.defer(() => maths.close());
    const sandbox = needsSandbox ? await openSandbox() : null;
    if (sandbox) closing.defer(() => sandbox.close());
    const text = openJudge(config, openModel, environment);
    const parts = {
      model,
      roleModels: openRoleModels(config, openModel, environment),
      graders: { maths, rule: config.gradeRule, ...(sandbox && { code: sandbox.code }), ...(text && { text }) },
      gradeRules: config.gradeRules,
      price: config.price,
      ...(sandbox && { runProgram: sandbox.runProgram }),
    };
    let written: Promise<void> = Promise.resolve(); // sequential, because all append to one file
    const outcome = await runBench(todo, settings, parts, file, {
      concurrency: config.concurrency,
      maxErrors,
      signal,
      onRecord: onStart(todo.length),
      ...(callFile && { callFile }),
      learned: await readCalibrations(directory),
      onLearned: (record) => {
        const { method, questions, benchmark, calls } = record;
        note(`${method} has learned on ${questions} questions of ${benchmark}, ${calls} calls`);
        return (written = written.then(() => addCalibration(directory, record)));
      },
    });
    if (outcome.waiting !== undefined && outcome.stopped === null)
      note(`${outcome.waiting} equal-token samples wait for unscored samples of their team; continue with --resume`);
    return outcome;
  });
}
