import type { FinishedRollout } from "./rollout-record.ts";
import { maxEnded, type DropReason, type GatewayEvent } from "./rollout-registry.ts";

/** Rollouts that remain usable after a restart. */
export interface Restored {
  /** Rollouts that wait for training, in order. */
  readonly waiting: readonly FinishedRollout[];
  /** Rollouts trained in steps that the run still has. */
  readonly trained: readonly string[];
  /** Scored rollouts of any step; they are never trained. */
  readonly validated: readonly string[];
  /** Dropped rollouts with reasons. */
  readonly dropped: readonly (readonly [id: string, reason: DropReason])[];
  /**
   * Events to append before the run continues: rollouts that wait again, and lost ones. Without them, a later reader of
   * the journal would count undone steps.
   */
  readonly corrections: readonly GatewayEvent[];
}

/**
 * Reads a journal for a run that resumes at a step. Rollouts taken by undone steps wait again. Replies of weights that
 * no longer exist are lost, and so are open rollouts. Trained rollouts are released while reading, because events may
 * exceed memory.
 * @param step - finished steps of the run's checkpoint
 */
export async function restore(
  events: AsyncIterable<GatewayEvent> | Iterable<GatewayEvent>,
  step: number,
): Promise<Restored> {
  const finished = new Map<string, FinishedRollout>();
  const trained = new Set<string>();
  const open = new Set<string>();
  const validated = new Set<string>();
  const dropped = new Map<string, DropReason>();
  /** Without an event so far: rollouts that wait again, and lost ones. */
  const [again, lost] = [new Set<string>(), new Set<string>()];
  const lose = (id: string): void => {
    dropped.set(id, "lost");
    lost.add(id);
  };
  for await (const event of events) {
    if (event.kind === "opened") open.add(event.id);
    else if (event.kind === "finished") {
      const { id, steps } = event.rollout;
      open.delete(id);
      again.delete(id);
      trained.delete(id);
      // It was dropped while its reward was written.
      if (dropped.has(id)) continue;
      if (steps[1] <= step) finished.set(id, event.rollout);
      else lose(id);
    } else if (event.kind === "validated") {
      open.delete(event.id);
      validated.add(event.id);
    } else if (event.kind === "taken") {
      for (const id of event.ids)
        if (event.step < step) {
          finished.delete(id);
          dropped.delete(id);
          lost.delete(id);
          trained.add(id);
        } else if (finished.has(id)) again.add(id);
        else lose(id); // journals omit rollouts that no step can take again
    } else {
      for (const each of [open, finished, trained, again, lost]) each.delete(event.id);
      dropped.set(event.id, event.reason);
    }
    for (const ended of [trained, validated, dropped])
      for (const oldest of ended.keys()) {
        if (ended.size <= maxEnded) break;
        ended.delete(oldest);
      }
  }
  for (const id of open) lose(id);
  const corrections = [
    ...Array.from(again, (id): GatewayEvent => ({ kind: "finished", rollout: finished.get(id) as FinishedRollout })),
    ...Array.from(lost, (id): GatewayEvent => ({ kind: "dropped", id, reason: "lost" })),
  ];
  return {
    waiting: [...finished.values()],
    trained: [...trained],
    validated: [...validated],
    dropped: [...dropped],
    corrections,
  };
}
