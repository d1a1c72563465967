import type { DropReason, FinishedRollout, GatewayEvent } from "./rollout-book.ts";

/** What of a run's rollouts is still good after it stopped. */
export interface Restored {
  /** Wait to be trained, in their order. */
  readonly waiting: readonly FinishedRollout[];
  /** Trained in steps that the run still has. */
  readonly trained: readonly string[];
  /** With the reason, for those who ask for them. */
  readonly dropped: readonly (readonly [id: string, reason: DropReason])[];
}

/**
 * Reads a journal for a run that goes on at a step. What was taken for a step that the run no longer has waits again, as
 * the weights that it was sampled from are there; replies of weights that are not are lost, and so is what was open.
 * @param step - steps that the run's checkpoint has done
 */
export function restore(events: readonly GatewayEvent[], step: number): Restored {
  const finished = new Map<string, FinishedRollout>();
  const trained = new Set<string>();
  const open = new Set<string>();
  const dropped = new Map<string, DropReason>();
  for (const event of events) {
    if (event.kind === "opened") open.add(event.id);
    else if (event.kind === "finished") {
      open.delete(event.rollout.id);
      // It was dropped while its reward was written.
      if (!dropped.has(event.rollout.id)) finished.set(event.rollout.id, event.rollout);
    } else if (event.kind === "taken") for (const id of event.step < step ? event.ids : []) trained.add(id);
    else {
      open.delete(event.id);
      finished.delete(event.id);
      dropped.set(event.id, event.reason);
    }
  }
  const kept: FinishedRollout[] = [];
  for (const rollout of finished.values()) {
    if (trained.has(rollout.id)) continue;
    if (rollout.steps[1] <= step) kept.push(rollout);
    else dropped.set(rollout.id, "lost");
  }
  for (const id of open) dropped.set(id, "lost");
  return { waiting: kept, trained: [...trained], dropped: [...dropped] };
}
