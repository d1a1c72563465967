import type { PolicySnapshot } from "@laconic/core";
import { livePolicies, type Samplers } from "../spec/parts.ts";
import { disposeAll, isNeededAt, snapshotsOf, type TrainingRun } from "./training-run.ts";

/** π_old: what episodes are sampled with, and ratios divided by. */
export interface OldPolicies {
  /** Of the step to come. */
  samplers(): Promise<Samplers>;
  /** Line 11: forgets them where the next step has newer ones. @param step - steps done */
  refresh(step: number): Promise<void>;
  dispose(): Promise<void>;
}

/** Frozen weights where they outlive a step, or its first update; live ones are old until the first optimiser step. */
export function oldPolicies({ parts, config, learners, schedule }: TrainingRun): OldPolicies {
  let snapshots: Readonly<Record<string, PolicySnapshot>> | null = null;
  const isLive = config.refreshOldPolicyEvery === 1 && !learners.some((each) => isNeededAt(learners, each, "old"));
  const dispose = async (): Promise<void> => {
    await disposeAll(snapshots);
    snapshots = null;
  };
  return {
    dispose,
    async samplers() {
      if (isLive) return livePolicies(parts);
      snapshots ??= await snapshotsOf(learners);
      return snapshots;
    },
    async refresh(step) {
      if (schedule.isRefreshDue(step)) await dispose();
    },
  };
}
