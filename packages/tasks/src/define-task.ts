import { inputError, nameHint, shownValue, questionKey } from "@laconic/core";
import type { AgentId, Environment, Problem, Random, Reward } from "@laconic/core";
import { inEnvironment, type JointGame, type TrainingTask } from "@laconic/topologies";
import { withStepRewards } from "./define-environment.ts";
import { drawFrom, type TeamTask } from "./task.ts";
import { gradingOf, type OwnGrader } from "./grading.ts";

/** Task with exactly one of `train` and `problems`, one of `grader` and `reward`. */
export interface TaskDefinition<P extends Problem = Problem>
  extends
    Pick<TeamTask, "name" | "about" | "topology" | "trainedAgents" | "across" | "game" | "probes" | "close">,
    Partial<Pick<TeamTask, "tokenizer">> {
  /** Its step rewards are added to the reward. */
  readonly environment?: Environment;
  /** Each visited once per pass. */
  readonly train?: readonly P[];
  /** Deterministic for a stream. */
  readonly problems?: (random: Random, count: number) => P[];
  /** Default: `testProblems`. */
  readonly validation?: readonly P[];
  /** Never trained on; measured once at the end if there are validation problems. */
  readonly testProblems: readonly P[];
  /** Grades 0 to 1, possibly async; null for no answer. */
  readonly grader?: OwnGrader<P>;
  /** Replaces the grader, for several terms or single agents. */
  readonly reward?: Reward;
}

/** Task for a trainer. */
export type DefinedTask = TrainingTask & Pick<TeamTask, "trainedAgents" | "probes" | "close">;

/**
 * Checks a custom task and each draw of its problems.
 * @throws LaconicError `input_invalid`, also when drawing
 */
export function defineTask<P extends Problem>(
  definition: TaskDefinition<P> & Required<Pick<TaskDefinition<P>, "tokenizer">>,
): TeamTask;
export function defineTask<P extends Problem>(definition: TaskDefinition<P>): DefinedTask;
export function defineTask<P extends Problem>(definition: TaskDefinition<P>): DefinedTask {
  const { environment, train, problems, grader, reward, ...rest } = definition;
  const { name, topology, validation = [], testProblems, trainedAgents, game } = rest;
  const { agents } = topology;
  if (name.trim() === "") refuse("a task needs a name");
  checkAgents(agents, trainedAgents, game);
  if ((train === undefined) === (problems === undefined))
    refuse(`${name}: give train, a list of problems, or problems, which draws them`);
  if ((grader === undefined) === (reward === undefined))
    refuse(`${name}: give a grader of answers, or a reward of episodes`);
  if (problems !== undefined && typeof problems !== "function")
    refuse(`${name}: problems is ${shownValue(problems)}, expected a function that draws; a list goes under train`);
  for (const [key, value] of Object.entries({ grader, reward }))
    if (value !== undefined && typeof value !== "function")
      refuse(`${name}: its ${key} is ${shownValue(value)}, expected a function`);
  if (testProblems.length === 0) refuse(`${name}: testProblems is empty; add problems`);
  if (train?.length === 0) refuse(`${name}: train is empty; add problems`);
  if (environment && game) refuse(`${name}: game and environment exclude each other; remove one of them`);
  for (const [key, list] of Object.entries({ testProblems, validation, train: train ?? [] }))
    checkProblems(key, list, agents);
  checkDrawn("validation", validation, testProblems, agents);
  for (const held of [testProblems, validation]) checkDrawn("train", train ?? [], held, agents);
  const grading = reward ? { reward } : gradingOf(grader!);
  const draw = train ? drawFrom(train) : problems!;
  return {
    ...rest,
    ...grading,
    ...(environment && {
      topology: inEnvironment(topology, environment),
      reward: withStepRewards(grading.reward),
    }),
    problems: (random, count) => {
      const drawn = draw(random, count);
      if (drawn.length !== count) refuse(`${name}: problems returned ${drawn.length} problems instead of ${count}`);
      if (!train) for (const held of [testProblems, validation]) checkDrawn("problems", drawn, held, agents);
      return drawn;
    },
    ...(train && { pool: train }),
  };
}

function checkAgents(
  agents: readonly AgentId[],
  trained: readonly AgentId[] | undefined,
  game: JointGame | undefined,
): void {
  if (agents.length === 0) refuse("the topology has no agents");
  const twice = [agents, trained ?? []].flatMap((list) => list.filter((agent, i) => list.indexOf(agent) !== i))[0];
  if (twice !== undefined) refuse(`agent "${twice}" is named twice`, { agent: twice });
  if (trained?.length === 0) refuse("trainedAgents is empty; name at least one agent");
  for (const agent of trained ?? [])
    if (!agents.includes(agent))
      refuse(`trainedAgents: the topology has no agent "${agent}"; ${nameHint(agent, agents)}`, { agent });
  if (!game) return;
  const players = game.players.map(({ id }) => id);
  if (players.toSorted().join() !== [...agents].toSorted().join())
    refuse(`game: its players are ${players.join(", ")}, the topology's agents ${agents.join(", ")}`);
}

function refuse(message: string, detail: Readonly<Record<string, string>> = {}): never {
  throw inputError(message, detail);
}

/** Rejects duplicate ids and views of unknown agents. */
export function checkProblems(list: string, problems: readonly Problem[], agents: readonly AgentId[]): void {
  const ids = new Set<string>();
  for (const [i, problem] of problems.entries()) {
    checkProblem(`${list}[${i}]`, problem, agents);
    if (ids.has(problem.id)) refuse(`${list}[${i}]: the id "${problem.id}" is not unique`, { problem: problem.id });
    ids.add(problem.id);
  }
}

/** Rejects training on a test problem: the same id, or the same question and gold. */
function checkDrawn(
  list: string,
  problems: readonly Problem[],
  testProblems: readonly Problem[],
  agents: readonly AgentId[],
): void {
  const { ids, questions } = keysOf(testProblems);
  for (const [i, problem] of problems.entries()) {
    checkProblem(`${list}[${i}]`, problem, agents);
    const { id } = problem;
    if (ids.has(id)) refuse(`${list}[${i}]: the id "${id}" belongs to a test problem`, { problem: problem.id });
    const twin = questions.get(problemKey(problem));
    if (twin !== undefined)
      refuse(`${list}[${i}], id "${id}", repeats the test problem "${twin}"; remove one`, { problem: problem.id });
  }
}

export function problemKey(problem: Problem): string {
  return `${questionKey(problem)} ${problem.gold}`;
}

interface Keys {
  readonly ids: ReadonlySet<string>;
  readonly questions: ReadonlyMap<string, string>;
}

const checked = new WeakMap<readonly Problem[], Keys>();

function keysOf(problems: readonly Problem[]): Keys {
  const keys = checked.get(problems) ?? {
    ids: new Set(problems.map(({ id }) => id)),
    questions: new Map(problems.map((problem) => [problemKey(problem), problem.id])),
  };
  checked.set(problems, keys);
  return keys;
}

function checkProblem(location: string, problem: Problem, agents: readonly AgentId[]): void {
  if (typeof problem.id !== "string" || problem.id === "")
    refuse(`${location} has no id; give it a unique string`, { problem: problem.id });
  if (typeof problem.question !== "string")
    refuse(`${location}, id "${problem.id}", has no question`, { problem: problem.id });
  const stranger = Object.keys(problem.views ?? {}).find((agent) => !agents.includes(agent));
  if (stranger !== undefined)
    refuse(`${location}, id "${problem.id}": a view of "${stranger}", but the agents are ${agents.join(", ")}`, {
      problem: problem.id,
    });
}
