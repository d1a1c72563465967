import type { FinishedRollout } from "./rollout-record.ts";
import { maxEnded, type DropReason, type GatewayEvent } from "./rollout-registry.ts";

export interface Restored {
  readonly waiting: readonly FinishedRollout[];
  /** Trained in steps that the run still has. */
  readonly trained: readonly string[];
  /** Scored, never trained. */
  readonly validated: readonly string[];
  readonly dropped: readonly (readonly [id: string, reason: DropReason])[];
  /**
   * Events to append first: rollouts that wait again, and lost ones. Otherwise a later reader would count undone steps.
   */
  readonly corrections: readonly GatewayEvent[];
}

/**
 * Reads a journal for a resumed run. Rollouts of undone steps wait again. Replies of missing weights and open rollouts
 * are lost. Trained rollouts are released while reading, because events may exceed memory.
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
      for (const item of [open, finished, trained, again, lost]) item.delete(event.id);
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
    ...Array.from(again, (id): GatewayEvent => ({ kind: "finished", rollout: finished.get(id)! })),
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
