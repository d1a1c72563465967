import {
  LaconicError,
  nearestName,
  shownValue,
  type AgentId,
  type ChatTokenizer,
  type Environment,
  type Problem,
  type Random,
  type Reward,
  type Tokenizer,
  type Topology,
} from "@laconic/core";
import { inEnvironment, type JointGame, type TrainingTask } from "@laconic/topologies";
import { checkDrawn, checkProblems } from "./check-problems.ts";
import { withStepRewards } from "./define-environment.ts";
import { drawFrom, type TeamTask } from "./task.ts";
import { gradingOf, type OwnGrader } from "./grading.ts";

/** A task as one writes it. Exactly one of `train` and `problems` says what is learned on,
 * and one of `grader` and `reward` how it is judged. */
export interface TaskDefinition<P extends Problem = Problem> {
  readonly name: string;
  /** Two sentences for whoever reads its conversations; reports show them beside. */
  readonly about?: string;
  readonly topology: Topology;
  /** What its agents act on; what its steps earn is added to the reward. */
  readonly environment?: Environment;
  /** All problems to learn on: each is visited once before any comes again. */
  readonly train?: readonly P[];
  /** Draws problems to learn on from nothing but the stream: the same stream gives the same problems. */
  readonly problems?: (random: Random, count: number) => P[];
  /** What a run is evaluated on while it goes on, and settings are chosen by; the test problems when absent. */
  readonly validation?: readonly P[];
  /** What is measured with, and never learned on: once, at a run's end, where there are validation problems. */
  readonly testProblems: readonly P[];
  /** 0 to 1 for a team's answer, null where it gave none; at once or later. */
  readonly grader?: OwnGrader<P>;
  /** In the grader's place where more than the answer counts: several terms, or terms of single agents. */
  readonly reward?: Reward;
  /** Who learns; all agents when absent. */
  readonly trainedAgents?: readonly AgentId[];
  /** Of its prompts; the model's own when absent. */
  readonly tokenizer?: Tokenizer | ChatTokenizer;
  /** What many evaluated episodes show and no single one does, by name. */
  readonly across?: TrainingTask["across"];
  /** The same play turn by turn, for rollout trees. */
  readonly game?: JointGame;
  /** What `laconic analyze probe` changes of its test problems or its team. */
  readonly probes?: TeamTask["probes"];
  /** Ends what the grader holds. */
  close?(): Promise<void>;
}

/** What a trainer takes, and who learns. */
export type DefinedTask = TrainingTask & Pick<TeamTask, "trainedAgents" | "probes" | "close">;

/**
 * A task of one's own, checked: its agents exist, ids are unique, views belong to agents, and no test problem is learned
 * on, neither by its id nor by question (`questionKey`) and gold. Drawn problems are checked whenever they are drawn.
 * `taskCases` of `@laconic/tasks/testing` checks what takes runs to see.
 * @throws LaconicError `input_invalid` naming the agent or problem at fault; so does drawing
 */
export function defineTask<P extends Problem>(
  definition: TaskDefinition<P> & Required<Pick<TaskDefinition<P>, "tokenizer">>,
): TeamTask;
export function defineTask<P extends Problem>(definition: TaskDefinition<P>): DefinedTask;
export function defineTask<P extends Problem>(definition: TaskDefinition<P>): DefinedTask {
  const {
    name,
    about,
    topology,
    environment,
    train,
    problems,
    validation,
    testProblems,
    grader,
    reward,
    trainedAgents,
    tokenizer,
    game,
    across,
    probes,
    close,
  } = definition;
  if (name.trim() === "") refuse("a task needs a name");
  checkAgents(topology.agents, trainedAgents, game);
  const { agents } = topology;
  if ((train === undefined) === (problems === undefined))
    refuse(`${name}: give train, a list of problems, or problems, which draws them`);
  if ((grader === undefined) === (reward === undefined))
    refuse(`${name}: give a grader of answers, or a reward of episodes`);
  if (problems !== undefined && typeof problems !== "function")
    refuse(`${name}: problems is ${shownValue(problems)}, expected a function that draws; a list goes under train`);
  for (const [key, given] of Object.entries({ grader, reward }))
    if (given !== undefined && typeof given !== "function")
      refuse(`${name}: its ${key} is ${shownValue(given)}, expected a function`);
  if (testProblems.length === 0) refuse(`${name}: testProblems is empty: nothing could be measured`);
  checkProblems("testProblems", testProblems, agents);
  if (validation) {
    checkProblems("validation", validation, agents);
    checkDrawn("validation", validation, testProblems, agents);
  }
  if (train) {
    if (train.length === 0) refuse(`${name}: train is empty: nothing could be learned`);
    checkProblems("train", train, agents);
    checkDrawn("train", train, testProblems, agents);
    checkDrawn("train", train, validation ?? [], agents);
  }
  if (environment && game) refuse(`${name}: a game is played turn by turn for trees, which have no environment`);
  const grading = reward ? { reward } : gradingOf(grader as OwnGrader<P>);
  const draw = train ? drawFrom(train) : (problems as NonNullable<typeof problems>);
  return {
    name,
    ...(about !== undefined && { about }),
    topology: environment ? inEnvironment(topology, environment) : topology,
    ...(environment ? { reward: withStepRewards(grading.reward) } : grading),
    problems: (random, count) => {
      const drawn = draw(random, count);
      if (drawn.length !== count) refuse(`${name}: problems gave ${drawn.length} problems, ${count} were asked for`);
      if (!train) for (const held of [testProblems, validation ?? []]) checkDrawn("problems", drawn, held, agents);
      return drawn;
    },
    ...(train && { pool: train }),
    ...(validation && { validation }),
    testProblems,
    ...(trainedAgents && { trainedAgents }),
    ...(tokenizer && { tokenizer }),
    ...(game && { game }),
    ...(across && { across }),
    ...(probes && { probes }),
    ...(close && { close }),
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
  if (trained?.length === 0) refuse("trainedAgents is empty: nobody would learn");
  for (const agent of trained ?? [])
    if (!agents.includes(agent)) {
      const near = nearestName(agent, agents);
      const advice = near === undefined ? `it has ${agents.join(", ")}` : `did you mean ${near}?`;
      refuse(`trainedAgents: the topology has no agent "${agent}"; ${advice}`, { agent });
    }
  if (!game) return;
  const players = game.players.map(({ id }) => id);
  if (players.toSorted().join() !== [...agents].toSorted().join())
    refuse(`game: its players are ${players.join(", ")}, the topology's agents ${agents.join(", ")}`);
}

function refuse(message: string, detail: Readonly<Record<string, string>> = {}): never {
  throw new LaconicError("input_invalid", message, detail);
}
