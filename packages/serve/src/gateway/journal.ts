import type { FinishedRollout } from "./rollout-record.ts";
import { maxEnded, type DropReason, type GatewayEvent } from "./rollout-registry.ts";

/** What of a run's rollouts is still good after it stopped. */
export interface Restored {
  /** Wait to be trained, in their order. */
  readonly waiting: readonly FinishedRollout[];
  /** Trained in steps that the run still has. */
  readonly trained: readonly string[];
  /** Scored, whatever the step: nothing is trained of them. */
  readonly validated: readonly string[];
  /** With the reason, for those who ask for them. */
  readonly dropped: readonly (readonly [id: string, reason: DropReason])[];
  /**
   * To be written before the run goes on: what waits again though a step took it, and what is lost. Whoever reads the journal at a later
   * step would take the steps that are gone for its own.
   */
  readonly corrections: readonly GatewayEvent[];
}

/**
 * Reads a journal for a run that goes on at a step. What was taken for a step that the run no longer has waits again, as
 * the weights that it was sampled from are there; replies of weights that are not are lost, and so is what was open.
 * What is trained is let go of as it is read: events may be more than memory.
 * @param step - steps that the run's checkpoint has done
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
  /** Of what no event says yet: taken for a step that the run no longer has, and lost. */
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
        else lose(id); // a journal lets go of those that no step can take again
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
