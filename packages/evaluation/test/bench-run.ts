import { join } from "node:path";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import { mathsGrader, type MathsGrader } from "@laconic/grading";
import { scriptedModel, type Script } from "@laconic/core/testing";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import {
  benchJobs,
  openJobs,
  openRecords,
  runBench,
  type BenchOptions,
  type BenchOutcome,
  type BenchSet,
  type BenchSettings,
  type SampleRecord,
} from "../src/index.ts";
import { readRecords, sampleRecords } from "../src/record-file.ts";

/** Test files in one process share it, so no file closes it; idle threads do not block exit. */
export const maths: MathsGrader = mathsGrader();

export const problems: readonly BenchmarkProblem[] = Array.from({ length: 6 }, (_, i): BenchmarkProblem => ({
  id: `p${i}`,
  question: `${i} + 1?`,
  gold: String(i + 1),
  grading: { kind: "numeric" },
}));
export const set: BenchSet = { benchmark: "gsm8k", split: "test", problems, exemplars: [], calibration: [] };
export const settings: BenchSettings = {
  model: "m",
  methods: ["vanilla", "sc"],
  repeats: 1,
  seed: 0,
  temperature: null,
  maxTokens: 50,
};

export async function temporary(): Promise<string> {
  return join(await temporaryFolder(), "samples.jsonl");
}

export const script: Script = ({ prompt }) => {
  const asked = prompt.kind === "messages" ? (prompt.messages.at(-1)?.content ?? "") : "";
  const number = Number(/^\d+/u.exec(asked)?.[0]);
  return number === 3 ? "I am not sure" : `#### ${number + 1}`;
};

export async function run(
  path: string,
  input: Script = script,
  options: BenchOptions = {},
): Promise<{ readonly outcome: BenchOutcome; readonly records: readonly SampleRecord[] }> {
  const file = await openRecords(path);
  const jobs = benchJobs([set], settings);
  const price = { prompt: 1, completion: 2 };
  const outcome = await runBench(
    openJobs(jobs, file.records),
    settings,
    { model: scriptedModel(input), graders: { maths }, price },
    file,
    options,
  );
  await file.close();
  const order = ({ method }: SampleRecord): number => settings.methods.indexOf(method);
  return {
    outcome,
    records: [...(await readRecords(sampleRecords, path)).records.values()].toSorted((a, b) => order(a) - order(b)),
  };
}
