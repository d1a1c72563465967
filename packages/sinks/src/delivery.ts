import type { Timer } from "@laconic/rewards";

/** How things are sent that must hold up nobody. */
export interface DeliveryOptions<T> {
  /** Sends some; throws when it could not. @param signal - fires when it takes too long */
  readonly send: (batch: readonly T[], signal: AbortSignal) => Promise<void>;
  readonly timer: Timer;
  /** Most that are sent at once. Default 200. */
  readonly most?: number;
  /** Seconds to wait for more before sending. Default 2. */
  readonly waitSeconds?: number;
  /** Seconds after which a sending has failed. Default 15. */
  readonly sendSeconds?: number;
  /** Pauses in seconds before it is tried again; then it has failed for good. Default 1, 4, 10. */
  readonly pauses?: readonly number[];
  /** Seconds that closing takes at most. Default 30. */
  readonly closeSeconds?: number;
  /** Most that wait while nobody answers. Default 20,000. */
  readonly maxWaiting?: number;
  /** Whether trying again is of use. Default: always. */
  readonly isPassing?: (error: unknown) => boolean;
}

/** A queue in the background. */
export interface Delivery<T> {
  /** @throws what the last try threw, once sending has failed for good */
  add(...items: readonly T[]): void;
  /** Sends what is left. @throws the same */
  close(): Promise<void>;
}

/** Sends in order, in batches, again where it failed. Adding never waits for the other side. */
export function delivery<T>({
  send,
  timer,
  most = 200,
  waitSeconds = 2,
  sendSeconds = 15,
  pauses = [1, 4, 10],
  closeSeconds = 30,
  maxWaiting = 20_000,
  isPassing = () => true,
}: DeliveryOptions<T>): Delivery<T> {
  const waiting: T[] = [];
  let failure: { readonly error: unknown } | null = null;
  let working: Promise<void> | null = null;
  let hurry = (): void => undefined;
  const over = new AbortController();

  const pause = (seconds: number): Promise<void> =>
    new Promise((go) => {
      const callOff = timer.after(seconds * 1000, go);
      hurry = () => {
        callOff();
        go();
      };
    });
  const trySend = async (batch: readonly T[]): Promise<void> => {
    const late = new AbortController();
    const callOff = timer.after(sendSeconds * 1000, () =>
      late.abort(new Error(`no answer within ${sendSeconds} seconds`)),
    );
    const end = (): void => late.abort(over.signal.reason);
    over.signal.addEventListener("abort", end, { once: true });
    try {
      await send(batch, late.signal);
    } finally {
      over.signal.removeEventListener("abort", end);
      callOff();
    }
  };
  const work = async (): Promise<void> => {
    await pause(waitSeconds);
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      for (let tries = 0; ; tries++) {
        try {
          await trySend(batch);
          break;
        } catch (error) {
          const seconds = pauses[tries];
          if (seconds === undefined || over.signal.aborted || !isPassing(error)) throw error;
          await pause(seconds);
        }
      }
      waiting.splice(0, batch.length);
    }
  };
  const start = (): void => {
    working ??= work()
      .catch((error: unknown) => void (failure = { error }))
      .finally(() => (working = null));
  };
  return {
    add(...items) {
      if (failure) throw failure.error;
      if (waiting.length + items.length > maxWaiting)
        throw new Error(`${waiting.length} rows wait, and nobody takes them`);
      waiting.push(...items);
      start();
    },
    async close() {
      const callOff = timer.after(closeSeconds * 1000, () => {
        over.abort(new Error(`${waiting.length} rows were not taken within ${closeSeconds} seconds`));
        hurry();
      });
      try {
        while (waiting.length > 0 && !failure) {
          start();
          hurry();
          await working;
        }
      } finally {
        callOff();
      }
      if (failure) throw failure.error;
    },
  };
}
