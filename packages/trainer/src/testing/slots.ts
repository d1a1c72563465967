/** Limits concurrency; callers queue for a slot. */
export interface Slots {
  /** Calls `go` when a slot is free. The returned function frees the slot or leaves the queue. */
  enter(go: () => void): () => void;
  readonly busy: number;
}

export function slots(count: number): Slots {
  const line = new Set<() => void>();
  let busy = 0;
  return {
    enter(go) {
      let isIn = false;
      let isGone = false;
      const enter = (): void => {
        isIn = true;
        busy += 1;
        go();
      };
      if (busy < count) enter();
      else line.add(enter);
      return () => {
        if (isGone) return;
        isGone = true;
        if (!isIn) return void line.delete(enter);
        busy -= 1;
        const [next] = line;
        if (!next) return;
        line.delete(next);
        next();
      };
    },
    get busy() {
      return busy;
    },
  };
}
