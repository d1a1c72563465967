import type { Timer } from "@laconic/rewards";

/**
 * Lets others have their turn between starts: a burst of thousands would hold up everything else for seconds.
 * @param perTurn - starts between two turns
 */
export function paced(timer: Timer, perTurn: number): () => Promise<void> {
  let starts = 0;
  return async () => {
    if (starts++ % perTurn === perTurn - 1) await new Promise<void>((go) => void timer.after(0, go));
  };
}
