/**
 * The limit on a program's time is on its own time: what it computed and what it slept. How long that takes by the wall is the
 * machine's doing, and only a far ceiling ends what gets no processor at all.
 */
export interface TimeLimit {
  /** What a program may use. */
  readonly seconds: number;
  /** It is ended here. One that ends by itself between the two was near the limit. */
  readonly lastSeconds: number;
  /** By the wall: past it, the machine gave the program no time. */
  readonly wallSeconds: number;
}

export function timeLimit(seconds: number): TimeLimit {
  return { seconds, lastSeconds: 1.5 * seconds, wallSeconds: 30 + 20 * seconds };
}

/** Seconds that a program has used since it began; null where the system does not tell, and the wall decides. */
export type UsedSeconds = () => Promise<number | null>;

/** How a watch ended a program: it used more than it may, or the machine gave it too little time. */
export type TimeEnd = "time" | "stalled";

const longestWait = 60_000; // a timer holds no more than 2^31 ms
const minWait = 20;
const lookEvery = 0.1;

/**
 * Looks at a program's time now and then, and ends it past its limit. Nobody looks before the wall has passed
 * it: no program uses more than that.
 * @returns stops the watch
 */
export function watchTime(limit: TimeLimit, used: UsedSeconds, end: (how: TimeEnd) => void): () => void {
  const start = performance.now();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const wait = (seconds: number): void => {
    timer = setTimeout(() => void look(), Math.min(Math.max(seconds * 1000, minWait), longestWait));
  };
  const look = async (): Promise<void> => {
    const wall = (performance.now() - start) / 1000;
    if (wall < limit.seconds) return wait(limit.seconds - wall);
    const own = (await used().catch(() => null)) ?? wall;
    if (stopped) return;
    if (own >= limit.lastSeconds) end("time");
    else if (wall >= limit.wallSeconds) end("stalled");
    else wait(Math.min(limit.lastSeconds - own, lookEvery));
  };
  wait(limit.seconds);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
