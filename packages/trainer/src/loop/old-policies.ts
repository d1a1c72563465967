import type { PolicySnapshot } from "@laconic/core";
import { livePolicies, type Samplers } from "../spec/parts.ts";
import { disposeAll, isNeededAt, snapshotsOf, type TrainingRun } from "./training-run.ts";

/**
 * π_old: samples episodes and is the denominator of ratios. Frozen weights where they outlive a step or its first update. Live
 * weights are old until the first optimiser step.
 */
export class OldPolicies {
  readonly #run: TrainingRun;
  #snapshots: Readonly<Record<string, PolicySnapshot>> | null = null;

  constructor(run: TrainingRun) {
    this.#run = run;
  }

  /** Those of the next step. */
  async samplers(): Promise<Samplers> {
    const { parts, config, learners } = this.#run;
    if (config.refreshOldPolicyEvery === 1 && !learners.some((each) => isNeededAt(learners, each, "old")))
      return livePolicies(parts);
    this.#snapshots ??= await snapshotsOf(learners);
    return this.#snapshots;
  }

  /** Line 11: drops them where the next step has newer ones. @param step - steps done */
  async refresh(step: number): Promise<void> {
    if (this.#run.schedule.isRefreshDue(step)) await this.dispose();
  }

  async dispose(): Promise<void> {
    await disposeAll(this.#snapshots);
    this.#snapshots = null;
  }
}
