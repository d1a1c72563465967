import { answerReading, distribute, gradeAnswer, mathsGrader, type BenchmarkProblem } from "@laconic/benchmarks";
import { LaconicError, type Problem } from "@laconic/core";
import { questionText } from "@laconic/evaluation";
import { codeGrader, createSandbox } from "@laconic/sandbox";
import { loadTokenizer } from "@laconic/tokenizers";
import type { AppTask, TaskMeans } from "./app-task.ts";
import { benchmarkData, drawFrom } from "./open-data.ts";
import { textTeams, type TeamName } from "./text-teams.ts";

/** A team on a benchmark's questions. */
export interface BenchmarkTaskSettings {
  readonly name: "benchmark";
  readonly benchmark: string;
  /** Several: each problem is played on one of them, and the collaborator learns for all. */
  readonly team: TeamName | readonly TeamName[];
  /** Holders of a star or chain, debaters. Default 3. */
  readonly agents?: number;
  /** Of a debate. Default 2. */
  readonly rounds?: number;
  /** Most tokens of a reply of those who learn. Default 768, AgentPO's. */
  readonly replyTokens?: number;
  /** Most tokens of a reply of those who do not. Default 2048, AgentPO's. */
  readonly actorTokens?: number;
  /** JSON lines of question and gold, instead of the benchmark's training split. */
  readonly file?: string;
}

/** @throws LaconicError `data_invalid` for data that is not here, `checkpoint_missing` for a model without a tokenizer */
export async function benchmarkTask(settings: BenchmarkTaskSettings, means: TaskMeans): Promise<AppTask> {
  const { benchmark, team: name, agents = 3, rounds = 2, replyTokens = 768, actorTokens = 2048, file } = settings;
  const data = means.heldOut === 0 ? { train: [], heldOut: [] } : await benchmarkData(benchmark, means.heldOut, file);
  const grading = (data.heldOut[0] ?? data.train[0])?.grading;
  const read = grading ? answerReading(grading).read : (text: string): string => text;
  const team = textTeams([name].flat(), { agents, rounds, replyTokens, actorTokens, read });
  const asked = (problem: BenchmarkProblem): BenchmarkProblem => {
    const whole = { ...problem, question: questionText(problem) };
    // Who knows what is part of the problem: the same in every run.
    return team.holders.length === 0 ? whole : distribute(whole, team.holders, "laconic").problem;
  };
  const draw = drawFrom(data.train);
  const maths = mathsGrader();
  const sandbox = grading?.kind === "code" ? await createSandbox() : null;
  const gradingMeans = { maths, ...(sandbox && { code: codeGrader(sandbox) }) };
  return {
    name: `benchmark/${benchmark}/${[name].flat().join("+")}`,
    topology: team.topology,
    trainedAgents: team.trained,
    tokenizer: await tokenizerOf(means),
    grader: () => Number.NaN,
    judge: async (answer, problem: Problem) => {
      const verdict = answer === null ? null : await gradeAnswer(answer, problem as BenchmarkProblem, gradingMeans);
      return verdict?.correct ? 1 : 0;
    },
    problems: (random, count) => draw(random, count).map((problem) => asked(problem)),
    heldOut: data.heldOut.map((problem) => asked(problem)),
    close: async () => {
      await maths.close();
      await sandbox?.close();
    },
  };
}

/** @throws LaconicError `config_invalid` where the model has no chat template */
export async function tokenizerOf({ modelFolder }: TaskMeans): ReturnType<typeof loadTokenizer> {
  if (modelFolder === null)
    throw new LaconicError("config_invalid", "model: this task needs a checkpoint with a tokenizer", { key: "model" });
  return loadTokenizer(modelFolder);
}
