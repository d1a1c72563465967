import { randomFromSeed } from "@laconic/core";
import type { AgentId, ChatTokenizer, Episode, Grader, Problem, Random, Tokenizer, Topology } from "@laconic/core";
import type { TrainingTask } from "@laconic/topologies";
import type { TaskProbes } from "./probe.ts";

/** Opened task. */
export interface TeamTask extends TrainingTask {
  readonly tokenizer: Tokenizer | ChatTokenizer;
  /** Default: all agents. */
  readonly trainedAgents?: readonly string[];
  /** Untrained, uncooperative agents. */
  readonly baselines?: Readonly<Record<string, Topology>>;
  /** Default 0, as in AgentPO. */
  readonly frozenTemperatures?: Readonly<Record<string, number>>;
  /**
   * Problem for a user's question. Default: the question itself.
   * @throws LaconicError `input_invalid`
   */
  readonly problemOf?: (question: string) => Problem;
  /** Probes of `laconic analyze probe`. */
  readonly probes?: TaskProbes;
  close?(): Promise<void>;
}

/** World with generated problems. */
export interface WorldTask extends TeamTask {
  readonly tokenizer: Tokenizer;
  readonly validation: readonly Problem[];
}

/** World with graded answers. */
export interface GradedTask extends WorldTask {
  readonly grader: Grader;
}

/** Distinct ids; fewer after 20 draws per problem. */
export function distinct<P extends Problem>(count: number, draw: () => P): P[] {
  const problems = new Map<string, P>();
  for (let tries = 20 * count; problems.size < count && tries > 0; tries--) {
    const problem = draw();
    problems.set(problem.id, problems.get(problem.id) ?? problem);
  }
  return [...problems.values()];
}

export type EvaluationSplits = Required<Pick<TrainingTask, "validation" | "testProblems">>;

/** Validation and test problems (seeds `seed` and `SEED/test`), distinct by `keyOf`. */
export function evaluationSplits(
  count: number,
  seed: string | number,
  draw: (random: Random) => Problem,
  keyOf: (problem: Problem) => string = ({ id }) => id,
): EvaluationSplits {
  const [first, second] = [randomFromSeed(seed), randomFromSeed(`${seed}/test`)];
  const validation = distinct(count, () => draw(first));
  const taken = new Set(validation.map(keyOf));
  const fresh = distinct(2 * count, () => draw(second)).filter((problem) => !taken.has(keyOf(problem)));
  const moved = Math.max(0, Math.floor((validation.length - fresh.length) / 2));
  const rest = validation.length - moved;
  return { validation: validation.slice(0, rest), testProblems: [...fresh.slice(0, count), ...validation.slice(rest)] };
}

/** Draws without repetition until all have been drawn. */
export function drawFrom<P>(problems: readonly P[]): (random: Random, count: number) => P[] {
  return (random, count) =>
    Array.from({ length: Math.ceil(count / problems.length) }, () => random.shuffle(problems))
      .flat()
      .slice(0, count);
}

/** Answers of two agents, "" for no message. Default: the last utterances. */
export function textsOf(
  { outputs, utterances }: Pick<Episode, "outputs" | "utterances">,
  [first, second]: readonly [first: AgentId, second: AgentId],
): readonly [first: string, second: string] {
  const textOf = (agent: AgentId): string =>
    (outputs ? outputs[agent] : utterances.findLast((utterance) => utterance.agent === agent)?.text) ?? "";
  return [textOf(first), textOf(second)];
}
