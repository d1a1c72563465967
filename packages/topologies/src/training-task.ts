import type { Grader, Problem, Random, Reward, Topology } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { JointGame } from "./program/synchronous-turns.ts";

/** Source of problems, and reward or grader. */
export interface TrainingTask {
  readonly name: string;
  /** Describes what each agent sees, and when the answer is right. */
  readonly about?: string;
  readonly topology: Topology;
  /** A run may replace it. */
  readonly reward?: Reward;
  /** Grades only the answer. */
  readonly grader?: Grader;
  problems(random: Random, count: number): Problem[];
  readonly pool?: readonly Problem[];
  /** Default: `testProblems`. */
  readonly validation?: readonly Problem[];
  /** Measured once at the end if there are validation problems. */
  readonly testProblems: readonly Problem[];
  /** Measures over many episodes; NaN if undefined. */
  across?(played: readonly Pick<RecordedEpisode, "problem" | "episode">[]): Readonly<Record<string, number>>;
  /** Used for rollout trees with joint replies. */
  readonly game?: JointGame;
}
