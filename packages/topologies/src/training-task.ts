import type { Grader, Problem, Random, Reward, Topology } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { JointGame } from "./program/synchronous-turns.ts";

/** Where problems come from and how episodes are judged. */
export interface TrainingTask {
  readonly name: string;
  /** Two sentences for readers of transcripts: who knows and reads what, and when the answer is right. */
  readonly about?: string;
  readonly topology: Topology;
  /** What an episode earned, costs aside; a run may have another. */
  readonly reward?: Reward;
  /** In the reward's place where the answer alone is graded: the reward is then `{ task: grade }`. */
  readonly grader?: Grader;
  /** Draws problems to learn on. */
  problems(random: Random, count: number): Problem[];
  /** All of them, where they are finitely many: training then visits each once before any comes again. */
  readonly pool?: readonly Problem[];
  /** Validation problems, for evaluations during a run and for choosing settings; `testProblems` if absent. */
  readonly validation?: readonly Problem[];
  /** A run that has validation problems measures them once, at its end. */
  readonly testProblems: readonly Problem[];
  /**
   * What many evaluated episodes show and no single one does, by name, such as how words follow what was asked for: stands among
   * the measures of an evaluation, of all episodes and of each group. NaN where they do not show it.
   */
  across?(played: readonly Pick<RecordedEpisode, "problem" | "episode">[]): Readonly<Record<string, number>>;
  /** The same play turn by turn, for rollout trees: every agent replies at once, the grader judges each joint reply. */
  readonly game?: JointGame;
}
