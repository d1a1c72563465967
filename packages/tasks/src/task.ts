import {
  randomFromSeed,
  type AgentId,
  type ChatTokenizer,
  type Episode,
  type Problem,
  type Random,
  type Tokenizer,
  type Topology,
} from "@laconic/core";
import type { TrainingTask } from "@laconic/topologies";
import type { TaskProbes } from "./probe.ts";

/** A task as a run opens it: what the trainer needs, the tokenizer of its prompts, and who learns. */
export interface TeamTask extends TrainingTask {
  readonly tokenizer: Tokenizer | ChatTokenizer;
  /** All agents when absent; the others do not learn. */
  readonly trainedAgents?: readonly string[];
  /**
   * How the same work is done by agents that have not learned to do it together, by name: the paper's baselines. They answer as the
   * team does, so that the task's reward judges them.
   */
  readonly baselines?: Readonly<Record<string, Topology>>;
  /** Of agents that do not learn, where their method sets one; all others speak at 0, as AgentPO's actor. */
  readonly frozenTemperatures?: Readonly<Record<string, number>>;
  /**
   * What a question that a user asks is to the team, such as one whose statements are dealt among its holders; the question as it is
   * when absent.
   * @throws LaconicError `input_invalid` for a question that the team cannot be asked
   */
  readonly problemOf?: (question: string) => Problem;
  /** What `laconic analyze probe` changes of its test problems or its team. */
  readonly probes?: TaskProbes;
  close?(): Promise<void>;
}

/** Draws in vain, for each problem that is wanted, after which there are no others. */
const patience = 20;

/** The first different problems that are drawn, by their ids: `count`, or as many as there are. */
export function distinct<P extends Problem>(count: number, draw: () => P): P[] {
  const problems = new Map<string, P>();
  for (let tries = patience * count; problems.size < count && tries > 0; tries--) {
    const problem = draw();
    problems.set(problem.id, problems.get(problem.id) ?? problem);
  }
  return [...problems.values()];
}

/** Validation and test problems of a world: those that a run is evaluated on while it goes on, and those of its test. */
export interface EvaluationSplits {
  readonly validation: readonly Problem[];
  readonly testProblems: readonly Problem[];
}

/**
 * Validation and test problems, each of a seed of their own, all different. A small world is shared out among the two.
 * @param seed - of the validation problems; that of the test is `SEED/test`
 * @param keyOf - what makes two problems the same; their ids by default
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
  const kept = validation.length - moved;
  return { validation: validation.slice(0, kept), testProblems: [...fresh.slice(0, count), ...validation.slice(kept)] };
}

/** Draws problems, each at most once before all have been drawn. */
export function drawFrom<P>(problems: readonly P[]): (random: Random, count: number) => P[] {
  return (random, count) =>
    Array.from({ length: Math.ceil(count / problems.length) }, () => random.shuffle(problems))
      .flat()
      .slice(0, count);
}

/**
 * What each of two agents answers, as it was written; "" for one who never spoke. An episode that was stored before there were
 * `outputs` has the same texts among its utterances.
 */
export function textsOf(
  { outputs, utterances }: Pick<Episode, "outputs" | "utterances">,
  [first, second]: readonly [first: AgentId, second: AgentId],
): readonly [first: string, second: string] {
  const textOf = (agent: AgentId): string =>
    (outputs ? outputs[agent] : utterances.findLast((each) => each.agent === agent)?.text) ?? "";
  return [textOf(first), textOf(second)];
}
