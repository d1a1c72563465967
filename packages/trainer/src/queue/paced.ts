import type { Timer } from "@laconic/rewards";

/** Resolves once everything that waits to run has had its turn. */
export function nextTurn(timer: Timer): Promise<void> {
  return new Promise((go) => void timer.after(0, go));
}

/**
 * Lets others have their turn between starts: a burst of thousands would hold up everything else for seconds.
 * @param perTurn - starts between two turns
 */
export function paced(timer: Timer, perTurn: number): () => Promise<void> {
  let starts = 0;
  return async () => {
    if (starts++ % perTurn === perTurn - 1) await nextTurn(timer);
  };
}
