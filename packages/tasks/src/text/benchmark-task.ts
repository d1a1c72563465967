import {
  answerForm,
  answerReading,
  benchmarkNamed,
  gradeAnswer,
  mathsGrader,
  posed,
  type Benchmark,
  type BenchmarkProblem,
} from "@laconic/benchmarks";
import { LaconicError, type Problem } from "@laconic/core";
import { codeGrader, createSandbox } from "@laconic/sandbox";
import { loadTokenizer } from "@laconic/tokenizers";
import type { TaskMeans, TeamTask } from "../task.ts";
import { dealTo } from "./deal.ts";
import { benchmarkData, drawFrom } from "./open-data.ts";
import { textTeams, type TeamName, type TextTeam } from "./text-teams.ts";

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

/**
 * @throws LaconicError `config_invalid` for a benchmark that the team cannot answer, `data_invalid` for data that is not here,
 * `checkpoint_missing` for a model without a tokenizer
 */
export async function benchmarkTask(settings: BenchmarkTaskSettings, means: TaskMeans): Promise<TeamTask> {
  const { benchmark, team: name, agents = 3, rounds = 2, replyTokens = 768, actorTokens = 2048, file } = settings;
  const { answer: kind } = benchmarkNamed(benchmark);
  const forms = { answerForm: answerForm(kind), read: answerReading(kind).read };
  const team = textTeams([name].flat(), { agents, rounds, replyTokens, actorTokens, ...forms });
  checkFits(benchmarkNamed(benchmark), team);
  // Dealt first and rendered then: what is asked and its options are everybody's.
  const deal = team.holders.length === 0 ? null : dealTo(team.holders);
  const asked = (problem: BenchmarkProblem): BenchmarkProblem => posed(deal?.(problem) ?? problem);
  const usable = (problem: BenchmarkProblem): boolean => deal === null || deal(problem) !== null;
  const data = means.heldOut === 0 ? { train: [], heldOut: [] } : await benchmarkData(benchmark, means, file, usable);
  const draw = drawFrom(data.train);
  const maths = mathsGrader();
  const sandbox = kind.kind === "code" ? await createSandbox() : null;
  const gradingMeans = { maths, ...(sandbox && { code: codeGrader(sandbox) }) };
  return {
    name: `benchmark/${benchmark}/${[name].flat().join("+")}`,
    topology: team.topology,
    trainedAgents: team.trained,
    tokenizer: await tokenizerOf(means),
    grader: () => Number.NaN,
    judge: async (answer, problem: Problem) => {
      const verdict = answer === null ? null : await gradeAnswer(answer, problem as BenchmarkProblem, gradingMeans);
      if (verdict?.decided === false) return { undecided: verdict.rule };
      return verdict?.correct ? 1 : 0;
    },
    problems: (random, count) => draw(random, count).map((problem) => asked(problem)),
    ...(means.heldOut > 0 && { pool: data.train.map((problem) => asked(problem)) }),
    heldOut: data.heldOut.map((problem) => asked(problem)),
    close: async () => {
      await maths.close();
      await sandbox?.close();
    },
  };
}

/** @throws LaconicError `config_invalid` */
function checkFits({ name, answer }: Benchmark, { topology, holders }: TextTeam): void {
  const refuse = (key: string, reason: string): never => {
    throw new LaconicError("config_invalid", `${key}: ${reason}`, { key });
  };
  if (answer.kind === "writing")
    refuse(
      "task.benchmark",
      `${name} has no right answers, its reward judges the texts of two writers: train task.name=writing, task.form=${name}`,
    );
  if (holders.length === 1) refuse("task.agents", "what a problem states is dealt among holders: at least 2");
  if (holders.length > 0 && answer.kind === "code")
    refuse("task.team", `a ${topology.name} deals what a problem states, and a program of ${name} is one piece`);
}

/** @throws LaconicError `config_invalid` where the model has no chat template */
export async function tokenizerOf({ modelFolder, templateArguments }: TaskMeans): ReturnType<typeof loadTokenizer> {
  if (modelFolder === null)
    throw new LaconicError("config_invalid", "model: this task needs a checkpoint with a tokenizer", { key: "model" });
  return loadTokenizer(modelFolder, { templateArguments });
}
