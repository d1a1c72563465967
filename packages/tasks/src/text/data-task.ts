import { answerKindOf, type BenchmarkProblem, type DataSettings } from "@laconic/benchmarks";
import type { AnswerKind } from "@laconic/grading";
import { LaconicError } from "@laconic/core";
import { gradedBy, type OwnGrader } from "../grading.ts";
import { type TeamTask } from "../task.ts";
import type { TaskResources } from "../task-resources.ts";
import { questionTask } from "./benchmark-task.ts";
import type { TeamSettings } from "./benchmark-team.ts";
import { ownData } from "./open-data.ts";
import { teamTitle } from "./teams/team-of.ts";

/** A team on questions of one's own. */
export interface DataTaskSettings extends TeamSettings {
  readonly name: "data";
  readonly data: DataSettings;
}

/** What opening a data task takes beside its settings. */
export type DataTaskResources = Pick<TaskResources, "modelFolder"> & Partial<TaskResources>;

/**
 * A team on one's own data: its problems are learned on, its test problems measured with, and no benchmark is opened.
 * @param grader - judges answers instead of the data's grading, which then says how golds are read and answers asked for
 * @throws LaconicError `data_invalid` with file and row, `config_invalid` for settings that do not fit each other,
 * `checkpoint_missing` for a model without a tokenizer
 */
export async function dataTask(
  settings: DataTaskSettings,
  given: DataTaskResources,
  grader?: OwnGrader<BenchmarkProblem>,
): Promise<TeamTask> {
  const { data, team } = settings;
  const resources: TaskResources = {
    testProblems: 1000,
    templateArguments: {},
    data: { folder: "" },
    note: () => undefined,
    ...given,
  };
  const answer = answerKindOf(data.grading);
  const task = await questionTask(settings, resources, {
    name: `data/${teamTitle(team)}`,
    of: "the data",
    key: "task.data",
    answer,
    open: async (usable) => {
      const opened = await ownData(data, resources, usable);
      checkLetters(answer, [...opened.train, ...opened.testProblems]);
      return opened;
    },
  });
  checkViews(task);
  return grader ? gradedBy(task, grader) : task;
}

/** @throws LaconicError `data_invalid` for a view of an agent that the team does not have */
function checkViews({ topology: { agents }, pool = [], testProblems }: TeamTask): void {
  for (const { id, views = {} } of [...pool, ...testProblems]) {
    const nobody = Object.keys(views).find((agent) => !agents.includes(agent));
    if (nobody !== undefined)
      throw new LaconicError(
        "data_invalid",
        `problem ${JSON.stringify(id)} has a view of ${JSON.stringify(nobody)}, and the team has ${agents.join(", ")}`,
        { id, agent: nobody },
      );
  }
}

/** Votes read the letters that a team is told of. @throws LaconicError `config_invalid` for a question with more options */
function checkLetters(answer: AnswerKind, problems: readonly BenchmarkProblem[]): void {
  if (answer.kind !== "letter") return;
  const needed = answerKindOf("letter", problems);
  if (needed.kind === "letter" && problems.some(({ choices }) => (choices?.length ?? 0) > answer.letters.length))
    throw new LaconicError(
      "config_invalid",
      `task.data.grading: a question has ${needed.letters.length} options; write { kind: "letter", letters: "${needed.letters}" }`,
      { key: "task.data.grading" },
    );
}
