import type { Grader, Problem, Random, Reward, Topology } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { JointGame } from "./program/synchronous-turns.ts";

/** Source of problems and judge of episodes. */
export interface TrainingTask {
  readonly name: string;
  /** Two sentences for readers of transcripts: who knows and reads what, and when the answer is right. */
  readonly about?: string;
  readonly topology: Topology;
  /** Reward before costs; a run may have another. */
  readonly reward?: Reward;
  /** Alternative to the reward: grades the answer alone, `{ task: grade }`. */
  readonly grader?: Grader;
  /** Draws problems to learn on. */
  problems(random: Random, count: number): Problem[];
  /** All problems if finite: training visits each once before repeating any. */
  readonly pool?: readonly Problem[];
  /** Validation problems, for evaluations during a run and for choosing settings; `testProblems` if absent. */
  readonly validation?: readonly Problem[];
  /** A run that has validation problems measures them once, at its end. */
  readonly testProblems: readonly Problem[];
  /** Measures over many episodes that none shows alone, such as a correlation; of all episodes and of each group. NaN if undefined. */
  across?(played: readonly Pick<RecordedEpisode, "problem" | "episode">[]): Readonly<Record<string, number>>;
  /** The play turn by turn, for rollout trees with a joint reply of all agents. */
  readonly game?: JointGame;
}
