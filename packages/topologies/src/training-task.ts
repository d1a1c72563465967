import type { Grader, Problem, Random, Reward, Topology } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { JointGame } from "./program/synchronous-turns.ts";

/** Source of problems, and reward or grader. */
export interface TrainingTask {
  readonly name: string;
  /** Two sentences: what each agent sees, and when the answer is right. */
  readonly about?: string;
  readonly topology: Topology;
  /** Reward before costs; a run may replace it. */
  readonly reward?: Reward;
  /** Grades only the answer: `{ task: grade }`. */
  readonly grader?: Grader;
  problems(random: Random, count: number): Problem[];
  /** All training problems if finite. */
  readonly pool?: readonly Problem[];
  /** Problems of evaluations during a run. Default: `testProblems`. */
  readonly validation?: readonly Problem[];
  /** Measured once at the end if there are validation problems. */
  readonly testProblems: readonly Problem[];
  /** Measures over many episodes, such as a correlation; NaN if undefined. */
  across?(played: readonly Pick<RecordedEpisode, "problem" | "episode">[]): Readonly<Record<string, number>>;
  /** Game for rollout trees with joint replies. */
  readonly game?: JointGame;
}
