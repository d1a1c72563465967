import { familyOf } from "@laconic/baselines";
import { benchmarkNamed, gradeProblem, posed, type BenchmarkProblem } from "@laconic/benchmarks";
import { answerForm, answerReading, mathsGrader, type AnswerKind } from "@laconic/grading";
import { LaconicError, type Problem, type RewardResult } from "@laconic/core";
import { codeGrader, createSandbox, gradingLimits } from "@laconic/sandbox";
import { type TeamTask, drawFrom } from "../task.ts";
import type { TaskResources } from "../task-resources.ts";
import { benchmarkTeam, dealTo, type TeamSettings } from "./benchmark-team.ts";
import { benchmarkData, type TaskData } from "./open-data.ts";
import { teamTitle } from "./teams/team-of.ts";
import { tokenizerOf } from "./tokenizer-of.ts";
import type { TextTeam } from "./teams/text-team.ts";

/** A team on a benchmark's questions. */
export interface BenchmarkTaskSettings extends TeamSettings {
  readonly name: "benchmark";
  readonly benchmark: string;
  /** Questions and golds of one's own, instead of the benchmark's training split; its test is measured with. */
  readonly file?: string;
}

/**
 * @throws LaconicError `config_invalid` for a benchmark that the team cannot answer, `data_invalid` for data that is not here,
 * `checkpoint_missing` for a model without a tokenizer
 */
export async function benchmarkTask(settings: BenchmarkTaskSettings, resources: TaskResources): Promise<TeamTask> {
  const { benchmark, team, file } = settings;
  const { answer } = benchmarkNamed(benchmark);
  return questionTask(settings, resources, {
    name: `benchmark/${benchmark}/${teamTitle(team)}`,
    of: benchmark,
    key: "task.benchmark",
    answer,
    benchmark,
    open: (usable) => benchmarkData(benchmark, resources, file, usable),
  });
}

/** Where questions come from, and what their answers are. */
export interface Questions {
  /** Of the task. */
  readonly name: string;
  /** What refusals call them. */
  readonly of: string;
  /** The setting that names them. */
  readonly key: string;
  readonly answer: AnswerKind;
  /** Whose protocols of published methods it takes, where it is one. */
  readonly benchmark?: string;
  readonly open: (usable: (problem: BenchmarkProblem) => boolean) => Promise<TaskData>;
}

/** A team on questions, wherever they are from. */
export async function questionTask(
  settings: TeamSettings,
  resources: TaskResources,
  questions: Questions,
): Promise<TeamTask> {
  const { answer: kind, benchmark } = questions;
  const { targetTokens } = resources;
  const team = benchmarkTeam(settings, {
    answerForm: answerForm(kind),
    ...answerReading(kind),
    family: familyOf(kind.kind),
    ...(benchmark !== undefined && { benchmark }),
    targetTokens,
  });
  checkFits(questions, team);
  // Dealt first and rendered then: what is asked and its options are everybody's.
  const deal = team.holders.length === 0 ? null : dealTo(team.holders);
  const asked = (problem: BenchmarkProblem): BenchmarkProblem => posed(deal?.(problem) ?? problem);
  const usable = (problem: BenchmarkProblem): boolean => deal === null || deal(problem) !== null;
  const data: TaskData = resources.testProblems === 0 ? { train: [], testProblems: [] } : await questions.open(usable);
  const draw = drawFrom(data.train);
  const maths = mathsGrader();
  const sandbox = familyOf(kind.kind) === "code" ? await createSandbox({ limits: gradingLimits }) : null;
  const gradingMeans = { maths, ...(sandbox && { code: codeGrader(sandbox) }) };
  return {
    name: questions.name,
    topology: team.topology,
    trainedAgents: team.trained,
    ...(team.temperatures && { frozenTemperatures: team.temperatures }),
    tokenizer: await tokenizerOf(resources),
    reward: async ({ answer }, problem: Problem, { signal }): Promise<RewardResult> => {
      const verdict =
        answer === null ? null : await gradeProblem(answer, problem as BenchmarkProblem, gradingMeans, signal);
      const limited = verdict?.limited === true;
      if (verdict?.decided === false && !limited) return { undecided: verdict.rule };
      // Left out of its group, a limit would be worth more than a wrong answer.
      const grade = { task: verdict?.correct ? 1 : 0 };
      return sandbox ? { team: grade, measures: { sandbox_limit: Number(limited) } } : grade;
    },
    problems: (random, count) => draw(random, count).map((problem) => asked(problem)),
    ...(resources.testProblems > 0 && { pool: data.train.map((problem) => asked(problem)) }),
    ...(data.validation && { validation: data.validation.map((problem) => asked(problem)) }),
    testProblems: data.testProblems.map((problem) => asked(problem)),
    ...(deal && { problemOf: (question: string) => dealtQuestion(question, deal) }),
    close: async () => {
      await maths.close();
      await sandbox?.close();
    },
  };
}

/** @throws LaconicError `input_invalid` for a question with less than two statements */
function dealtQuestion(question: string, deal: ReturnType<typeof dealTo>): Problem {
  const dealt = deal<Problem>({ id: "asked", question, gold: "" });
  if (dealt) return dealt;
  throw new LaconicError(
    "input_invalid",
    "the question states less than two facts that could be dealt among the team's holders; give each holder a view of its own",
  );
}

/** @throws LaconicError `config_invalid` */
function checkFits({ of: name, key: named, answer }: Questions, { topology, holders }: TextTeam): void {
  const refuse = (key: string, reason: string): never => {
    throw new LaconicError("config_invalid", `${key}: ${reason}`, { key });
  };
  if (answer.kind === "writing")
    refuse(
      named,
      `${name} has no right answers, its reward judges the texts of two writers: train task.name=writing, task.form=${name}`,
    );
  if (holders.length === 1) refuse("task.agents", "what a problem states is dealt among holders: at least 2");
  if (holders.length > 0 && familyOf(answer.kind) === "code")
    refuse("task.team", `a ${topology.name} deals what a problem states, and a program of ${name} is one piece`);
}
