import { inputError, type LanguageModel, type Problem, type Random, randomFromSeed } from "@laconic/core";
import { randomPolicy } from "@laconic/topologies/testing";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { TrainingTask } from "@laconic/topologies";
import { problemKey } from "../define-task.ts";
import { gradeOf, gradeOfEpisode, type Grade, type TeamAnswer } from "../grading.ts";

/** Subject of the suite. */
export interface TaskSubject {
  readonly task: TrainingTask & { readonly trainedAgents?: readonly string[]; close?(): Promise<void> };
  /** Returns an answer with the best grade, by agent if several answer. */
  readonly solve?: (problem: Problem) => Exclude<TeamAnswer, null>;
  /** Model of the agents. Default: random letters. */
  readonly model?: (agent: string) => LanguageModel;
}

/** A check of the suite, independent of test runners. */
export interface TaskCase {
  readonly name: string;
  readonly run: (create: () => TaskSubject | Promise<TaskSubject>) => Promise<void>;
}

/** Checks for every task, as data: `for (const item of taskCases) test(item.name, () => item.run(create))`. */
export const taskCases: readonly TaskCase[] = [
  {
    name: "a stream of random numbers decides which problems are drawn, as many as were asked for",
    run: withSubject(({ task }) => {
      for (const count of [1, 7, many]) equal(draw(task, "count", count).length, count, "problems");
      equal(draw(task, "a", many), draw(task, "a", many), "the problems of one stream");
      check(
        JSON.stringify(draw(task, "a", many)) !== JSON.stringify(draw(task, "b", many)) || task.pool?.length === 1,
        "two streams gave the same problems",
      );
    }),
  },
  {
    name: "opened twice, it holds the same problems out",
    async run(create) {
      const [first, second] = [await create(), await create()];
      equal(first.task.testProblems, second.task.testProblems, "test problems");
      equal(first.task.validation, second.task.validation, "validation problems");
      equal(first.task.pool, second.task.pool, "the pool");
      await first.task.close?.();
      await second.task.close?.();
    },
  },
  {
    name: "an id names one problem",
    run: withSubject(({ task }) => {
      for (const list of [task.testProblems, task.validation ?? [], task.pool ?? []])
        unique(
          list.map(({ id }) => id),
          "id",
        );
      const byId = new Map<string, string>();
      for (const problem of [...task.testProblems, ...draw(task, "ids", many)]) {
        const reply = JSON.stringify(problem);
        equal(byId.get(problem.id) ?? reply, reply, `the problem ${problem.id}`);
        byId.set(problem.id, reply);
      }
    }),
  },
  {
    name: "no test problem is drawn or in the pool, by its id or by what it asks",
    run: withSubject(({ task }) => {
      check(task.testProblems.length > 0, "no test problems");
      const { validation = [] } = task;
      const tested = new Set(task.testProblems.map(({ id }) => id));
      for (const { id } of validation) check(!tested.has(id), `the validation problem ${id} is of the test too`);
      const held = [...task.testProblems, ...validation];
      const ids = new Set(held.map(({ id }) => id));
      const questions = new Set(held.map((problem) => problemKey(problem)));
      for (const problem of [...(task.pool ?? []), ...["a", "b", "c"].flatMap((seed) => draw(task, seed, many))]) {
        check(!ids.has(problem.id), `the test problem ${problem.id} is learned on`);
        check(!questions.has(problemKey(problem)), `what ${problem.id} asks is kept for validation and test`);
      }
    }),
  },
  {
    name: "a pool holds every problem that is drawn, and is visited whole before any comes again",
    run: withSubject(({ task }) => {
      if (!task.pool) return;
      const ids = new Set(task.pool.map(({ id }) => id));
      const once = draw(task, "pool", task.pool.length).map(({ id }) => id);
      for (const id of once) check(ids.has(id), `${id} is not of the pool`);
      unique(once, "problem of one pass");
    }),
  },
  {
    name: "agents are named once, learners and players are among them, views are theirs",
    run: withSubject(({ task }) => {
      const { agents } = task.topology;
      check(agents.length > 0, "no agents");
      unique(agents, "agent");
      const trained = task.trainedAgents ?? agents;
      check(trained.length > 0, "no trained agents");
      unique(trained, "learner");
      for (const agent of trained) check(agents.includes(agent), `the learner ${agent} is not an agent`);
      if (task.game) equal(task.game.players.map(({ id }) => id).toSorted(), [...agents].toSorted(), "players");
      for (const { id, views = {} } of [...task.testProblems, ...draw(task, "views", many)])
        for (const agent of Object.keys(views)) check(agents.includes(agent), `${id} has a view of ${agent}`);
    }),
  },
  {
    name: "a gold, a solution, words and no answer get grades from 0 to 1; a solution gets no less than the others",
    run: withSubject(async ({ task, solve }) => {
      for (const problem of [...task.testProblems.slice(0, few), ...draw(task, "grades", few)]) {
        const best = solve ? await graded(task, solve(problem), problem) : 1;
        for (const reply of [problem.gold, "I do not know.", "", null]) {
          const answer = task.game && reply !== null ? spread(task.topology.agents, reply) : reply;
          const grade = await graded(task, answer, problem);
          check(
            grade <= best,
            `${JSON.stringify(answer)} gets ${grade} for ${problem.id}, more than its solution: ${best}`,
          );
        }
        if (solve) check(best > 0, `the solution of ${problem.id} gets 0`);
      }
    }),
  },
  {
    name: "a grade follows from answer and problem alone",
    run: withSubject(async ({ task, solve }) => {
      for (const problem of task.testProblems.slice(0, few)) {
        const answer = solve?.(problem) ?? problem.gold;
        equal(await graded(task, answer, problem), await graded(task, answer, problem), `the grade of ${problem.id}`);
      }
    }),
  },
  {
    name: "its team plays a problem to the end, what it answers gets a grade, and what it sees across episodes is numbers",
    run: withSubject(async ({ task, model = (agent) => randomPolicy(agent) }) => {
      const models = Object.fromEntries(task.topology.agents.map((agent) => [agent, model(agent)]));
      const played: Pick<RecordedEpisode, "problem" | "episode">[] = [];
      for (const [i, problem] of [...task.testProblems.slice(0, few), ...draw(task, "play", few)].entries()) {
        const context = { models, sampling: { temperature: 1 }, random: randomFromSeed(`play ${i}`) };
        const episode = await task.topology.run(problem, context);
        check(episode.utterances.length > 0, `no utterances for ${problem.id}`);
        proper(await gradeOfEpisode(task, episode, problem), episode.outputs ?? episode.answer, problem);
        played.push({ problem, episode });
      }
      // Evaluations compute measures of groups of any size, including empty ones.
      for (const some of [[], played.slice(0, 1), played])
        for (const [name, value] of Object.entries(task.across?.(some) ?? {}))
          check(Number.isNaN(value) || Number.isFinite(value), `across ${some.length} episodes ${name} is ${value}`);
    }),
  },
];

const few = 4;
const many = 60;

function withSubject(body: (subject: TaskSubject) => void | Promise<void>): TaskCase["run"] {
  return async (create) => {
    const subject = await create();
    try {
      await body(subject);
    } finally {
      await subject.task.close?.();
    }
  };
}

function draw(task: TrainingTask, seed: string, count: number): Problem[] {
  const random: Random = randomFromSeed(seed);
  return task.problems(random, count);
}

async function graded(task: TrainingTask, answer: TeamAnswer, problem: Problem): Promise<number> {
  return proper(await gradeOf(task, answer, problem), answer, problem);
}

function spread(agents: readonly string[], text: string): TeamAnswer {
  return Object.fromEntries(agents.map((agent) => [agent, text]));
}

function proper(grade: Grade, answer: TeamAnswer, { id }: Problem): number {
  const number = typeof grade === "number" ? grade : Number.NaN;
  check(number >= 0 && number <= 1, `${JSON.stringify(answer)} gets ${JSON.stringify(grade)} for ${id}`);
  return number;
}

function unique(names: readonly string[], what: string): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  check(twice === undefined, `duplicate ${what} ${twice}`);
}

function check(condition: boolean, message: string): void {
  if (!condition) throw inputError(message);
}

function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(a === b, `${what}: ${a} instead of ${b}`);
}
