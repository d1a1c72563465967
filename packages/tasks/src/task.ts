import {
  randomFromSeed,
  type AgentId,
  type ChatTokenizer,
  type Episode,
  type Grader,
  type Problem,
  type Random,
  type Tokenizer,
  type Topology,
} from "@laconic/core";
import type { TrainingTask } from "@laconic/topologies";
import type { TaskProbes } from "./probe.ts";

/** A task as a run opens it: what the trainer needs, the tokenizer of its prompts, and which agents learn. */
export interface TeamTask extends TrainingTask {
  readonly tokenizer: Tokenizer | ChatTokenizer;
  /** Agents that learn; all when absent. */
  readonly trainedAgents?: readonly string[];
  /** The paper's baselines by name: the same work by agents that have not learned to cooperate. The task's reward judges them. */
  readonly baselines?: Readonly<Record<string, Topology>>;
  /** Temperatures of agents that do not learn; default 0, as AgentPO's actor. */
  readonly frozenTemperatures?: Readonly<Record<string, number>>;
  /**
   * The team's problem for a user's question; default: the question itself.
   * @throws LaconicError `input_invalid` for a question that does not fit the team
   */
  readonly problemOf?: (question: string) => Problem;
  /** How `laconic analyze probe` changes the test problems or the team. */
  readonly probes?: TaskProbes;
  close?(): Promise<void>;
}

/** A world whose problems are generated. */
export interface WorldTask extends TeamTask {
  readonly tokenizer: Tokenizer;
  readonly validation: readonly Problem[];
}

/** A world whose answers are graded. */
export interface GradedTask extends WorldTask {
  readonly grader: Grader;
}

/** The first different problems that are drawn, by id: `count`, or as many as 20 draws each find. */
export function distinct<P extends Problem>(count: number, draw: () => P): P[] {
  const problems = new Map<string, P>();
  for (let tries = 20 * count; problems.size < count && tries > 0; tries--) {
    const problem = draw();
    problems.set(problem.id, problems.get(problem.id) ?? problem);
  }
  return [...problems.values()];
}

export type EvaluationSplits = Required<Pick<TrainingTask, "validation" | "testProblems">>;

/**
 * Validation and test problems from separate seeds (`seed`, `SEED/test`), all different by `keyOf`. The problems of a small
 * world are divided between the two.
 */
export function evaluationSplits(
  count: number,
  seed: string | number,
  draw: (random: Random) => Problem,
  keyOf: (problem: Problem) => string = ({ id }) => id,
): EvaluationSplits {
  const [first, second] = [randomFromSeed(seed), randomFromSeed(`${seed}/test`)];
  const validation = distinct(count, () => draw(first));
  const taken = new Set(validation.map((problem) => keyOf(problem)));
  const fresh = distinct(2 * count, () => draw(second)).filter((problem) => !taken.has(keyOf(problem)));
  const moved = Math.max(0, Math.floor((validation.length - fresh.length) / 2));
  const rest = validation.length - moved;
  return { validation: validation.slice(0, rest), testProblems: [...fresh.slice(0, count), ...validation.slice(rest)] };
}

/** Draws problems without repetition until all have been drawn. */
export function drawFrom<P>(problems: readonly P[]): (random: Random, count: number) => P[] {
  return (random, count) =>
    Array.from({ length: Math.ceil(count / problems.length) }, () => random.shuffle(problems))
      .flat()
      .slice(0, count);
}

/** The answers of two agents, "" for an agent that never spoke. An episode without `outputs` is read from its utterances. */
export function textsOf(
  { outputs, utterances }: Pick<Episode, "outputs" | "utterances">,
  [first, second]: readonly [first: AgentId, second: AgentId],
): readonly [first: string, second: string] {
  const textOf = (agent: AgentId): string =>
    (outputs ? outputs[agent] : utterances.findLast((utterance) => utterance.agent === agent)?.text) ?? "";
  return [textOf(first), textOf(second)];
}
