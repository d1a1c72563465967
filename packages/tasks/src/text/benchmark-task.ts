import { familyOf } from "@laconic/baselines";
import { answerKindOf, benchmarkNamed, gradeProblem, inPublishedForm, posed } from "@laconic/benchmarks";
import type { BenchmarkProblem, DataSettings } from "@laconic/benchmarks";
import { answerForm, answerReading, mathsGrader, type AnswerKind } from "@laconic/grading";
import { inputError, refuseSetting, dataError, present } from "@laconic/core";
import type { AgentId, Episode, Problem, RewardResult } from "@laconic/core";
import { codeGrader, createSandbox, gradingLimits } from "@laconic/sandbox";
import { gradedBy, silentShare, type OwnGrader } from "../grading.ts";
import { drawFrom, type TeamTask } from "../task.ts";
import { resourcesOf, type TaskResources } from "../task-resources.ts";
import { benchmarkTeam, dealTo, type PromptSource, type TeamForms, type TeamSettings } from "./benchmark-team.ts";
import { benchmarkData, ownData, type TaskData, type TrainingChoice } from "./open-data.ts";
import { openTeamTexts } from "./team-texts.ts";
import { teamTitle } from "./teams/team-of.ts";
import type { TextTeam } from "./teams/text-team.ts";
import { tokenizerOf } from "./tokenizer-of.ts";

/** Settings of a team on a benchmark's questions. */
export interface BenchmarkTaskSettings extends TeamSettings, TrainingChoice {
  readonly name: "benchmark";
  readonly benchmark: string;
  /** Default `ours`; `published` needs `laconic data get --exemplars`. */
  readonly prompts?: PromptSource;
}

/**
 * @throws LaconicError `config_invalid` for a benchmark that the team cannot answer, `data_invalid`,
 * `checkpoint_missing`
 */
export async function benchmarkTask(settings: BenchmarkTaskSettings, resources: TaskResources): Promise<TeamTask> {
  const { benchmark, team, prompts = "ours" } = settings;
  const { answer } = benchmarkNamed(benchmark);
  const asked = { benchmark, family: familyOf(answer.kind) };
  const texts = prompts === "ours" ? undefined : (await openTeamTexts(team, resources.data.folder, asked))(asked);
  return questionTask(settings, resources, {
    task: `benchmark/${benchmark}/${teamTitle(team)}`,
    source: benchmark,
    key: "task.benchmark",
    answer,
    benchmark,
    texts,
    open: (isUsable) => benchmarkData(benchmark, resources, settings, isUsable),
  });
}

/** Settings of {@link dataTask}. */
export interface DataTaskSettings extends TeamSettings {
  readonly name: "data";
  readonly data: DataSettings;
}

/** Resources of a data task. */
export type DataTaskResources = Pick<TaskResources, "modelFolder"> & Partial<TaskResources>;

/**
 * Opens a team on custom data; `grader` replaces the data's grading.
 * @throws LaconicError `data_invalid`, `config_invalid`, `checkpoint_missing`
 */
export async function dataTask(
  settings: DataTaskSettings,
  dataTaskResources: DataTaskResources,
  grader?: OwnGrader<BenchmarkProblem>,
): Promise<TeamTask> {
  const { data, team } = settings;
  const resources = resourcesOf(dataTaskResources);
  const answer = answerKindOf(data.grading);
  const task = await questionTask(settings, resources, {
    task: `data/${teamTitle(team)}`,
    source: "the data",
    key: "task.data",
    answer,
    open: async (isUsable) => {
      const opened = await ownData(data, resources, isUsable);
      checkLetters(answer, [...opened.train, ...opened.testProblems]);
      return opened;
    },
  });
  checkViews(task);
  return grader ? gradedBy(task, grader) : task;
}

export interface Questions {
  readonly task: string;
  readonly source: string;
  readonly key: string;
  readonly answer: AnswerKind;
  /** Published methods follow its protocols. */
  readonly benchmark?: string;
  readonly texts?: TeamForms["texts"];
  open(isUsable: (problem: BenchmarkProblem) => boolean): Promise<TaskData>;
}

export async function questionTask(
  settings: TeamSettings,
  resources: TaskResources,
  questions: Questions,
): Promise<TeamTask> {
  const { answer: kind, benchmark, texts } = questions;
  const family = familyOf(kind.kind);
  const team = benchmarkTeam(settings, {
    answerForm: answerForm(kind),
    ...answerReading(kind),
    family,
    ...present({ benchmark }),
    targetTokens: resources.targetTokens,
    texts,
  });
  checkFits(questions, team);
  // Every holder sees the question.
  const deal = team.holders.length === 0 ? null : dealTo(team.holders);
  const asked = (problem: BenchmarkProblem): BenchmarkProblem =>
    posed(deal?.(problem) ?? (texts ? inPublishedForm(problem) : problem));
  const isUsable = (problem: BenchmarkProblem): boolean => deal === null || deal(problem) !== null;
  const hasData = resources.testProblems > 0;
  const data: TaskData = hasData ? await questions.open(isUsable) : { train: [], testProblems: [] };
  const draw = drawFrom(data.train);
  const maths = mathsGrader();
  const sandbox = family === "code" ? await createSandbox({ limits: gradingLimits }) : null;
  const graders = { maths, ...(sandbox && { code: codeGrader(sandbox) }) };
  return {
    name: questions.task,
    topology: team.topology,
    trainedAgents: team.trained,
    ...present({ frozenTemperatures: team.temperatures }),
    tokenizer: await tokenizerOf(resources),
    reward: async (episode, problem: Problem, { signal }): Promise<RewardResult> => {
      const { answer } = episode;
      const verdict = answer === null ? null : await gradeProblem(answer, problem as BenchmarkProblem, graders, signal);
      const isLimited = verdict?.limited === true;
      if (verdict?.decided === false && !isLimited) return { undecided: verdict.rule };
      // Undecided episodes would be worth more than wrong ones.
      const grade = { task: verdict?.correct ? 1 : 0 };
      const silence = silenceOf(episode, problem as BenchmarkProblem, team.holders);
      if (!sandbox && silence === null) return grade;
      return { team: grade, measures: { ...silence, ...(sandbox && { sandbox_limit: Number(isLimited) }) } };
    },
    problems: (random, count) => draw(random, count).map(asked),
    ...(hasData && { pool: data.train.map(asked) }),
    ...(data.validation && { validation: data.validation.map(asked) }),
    testProblems: data.testProblems.map(asked),
    ...(deal && { problemOf: (question: string) => dealtQuestion(question, kind.kind, deal) }),
    close: async () => {
      await maths.close();
      await sandbox?.close();
    },
  };
}

/** Shares of silent turns: of holders with a needed fact, and of the others. Null if the problem does not say. */
function silenceOf(
  { utterances }: Episode,
  { facts, views = {} }: BenchmarkProblem & Pick<Problem, "views">,
  holders: readonly AgentId[],
): Readonly<Record<string, number>> | null {
  if (!facts || holders.length === 0) return null;
  const needed = facts.flatMap(({ text, needed: isNeeded }) => (isNeeded ? [text] : []));
  const isNeededBy = (agent: AgentId): boolean => needed.some((text) => views[agent]?.includes(text) === true);
  const share = (isNeeded: boolean): number =>
    silentShare(utterances.filter(({ agent }) => holders.includes(agent) && isNeededBy(agent) === isNeeded));
  return { holder_silent: share(true), idle_silent: share(false) };
}

/** @throws LaconicError `input_invalid` for fewer than two facts */
function dealtQuestion(question: string, kind: AnswerKind["kind"], deal: ReturnType<typeof dealTo>): Problem {
  const dealt = deal<Problem & { readonly grading: object }>({ id: "asked", question, gold: "", grading: { kind } });
  if (dealt) return dealt;
  throw inputError(
    "the question states fewer than two facts to deal among the team's holders; give each holder a view",
  );
}

function checkFits({ source, key, answer }: Questions, { topology, holders }: TextTeam): void {
  if (answer.kind === "writing")
    refuseSetting(key, `${source} needs the texts of two writers: train task.name=writing, task.form=${source}`);
  if (holders.length === 1) refuseSetting("task.agents", "a problem's facts need at least 2 holders");
  if (holders.length > 0 && answer.kind === "program")
    refuseSetting("task.team", `a ${topology.name} deals a problem's facts, but a program of ${source} has one part`);
}

/** @throws LaconicError `data_invalid` for a view of an unknown agent */
function checkViews({ topology: { agents }, pool = [], testProblems }: TeamTask): void {
  for (const { id, views = {} } of [...pool, ...testProblems]) {
    const stranger = Object.keys(views).find((agent) => !agents.includes(agent));
    if (stranger !== undefined)
      throw dataError(
        `problem ${JSON.stringify(id)} has a view of ${JSON.stringify(stranger)}, and the team has ${agents.join(", ")}`,
        { id, agent: stranger },
      );
  }
}

/** @throws LaconicError `config_invalid` for a question with more options */
function checkLetters(answer: AnswerKind, problems: readonly BenchmarkProblem[]): void {
  if (answer.kind !== "letter") return;
  const needed = answerKindOf("letter", problems);
  if (needed.kind === "letter" && problems.some(({ choices }) => (choices?.length ?? 0) > answer.letters.length))
    refuseSetting(
      "task.data.grading",
      `a question has ${needed.letters.length} options; write { kind: "letter", letters: "${needed.letters}" }`,
    );
}
