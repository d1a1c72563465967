/** Places that hold one each; who finds none waits in line. */
export interface Slots {
  /** Calls `go` once there is a place; what it returns gives the place back, or leaves the line. */
  enter(go: () => void): () => void;
  readonly busy: number;
}

/** So many places. */
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
