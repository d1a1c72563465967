import type { Timer } from "@laconic/rewards";

/** How things are sent that must hold up nobody. */
export interface DeliveryOptions<T> {
  /** Sends some; throws when it could not. @param signal - fires when it takes too long */
  readonly send: (batch: readonly T[], signal: AbortSignal) => Promise<void>;
  readonly timer: Timer;
  /** Most that are sent at once. Default 200. */
  readonly max?: number;
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
export function delivery<T>(options: DeliveryOptions<T>): Delivery<T> {
  const courier = new Courier(options);
  return { add: (...items) => courier.add(items), close: () => courier.close() };
}

class Courier<T> {
  readonly #options: Required<DeliveryOptions<T>>;
  readonly #waiting: T[] = [];
  readonly #over = new AbortController();
  #failure: { readonly error: unknown } | null = null;
  #working: Promise<void> | null = null;
  #hurry = (): void => undefined;

  constructor(options: DeliveryOptions<T>) {
    this.#options = {
      max: 200,
      waitSeconds: 2,
      sendSeconds: 15,
      pauses: [1, 4, 10],
      closeSeconds: 30,
      maxWaiting: 20_000,
      isPassing: () => true,
      ...options,
    };
  }

  add(items: readonly T[]): void {
    if (this.#failure) throw this.#failure.error;
    if (this.#waiting.length + items.length > this.#options.maxWaiting)
      throw new Error(`${this.#waiting.length} rows wait, and nobody takes them`);
    this.#waiting.push(...items);
    this.#start();
  }

  async close(): Promise<void> {
    const { timer, closeSeconds } = this.#options;
    const callOff = timer.after(closeSeconds * 1000, () => {
      this.#over.abort(new Error(`${this.#waiting.length} rows were not taken within ${closeSeconds} seconds`));
      this.#hurry();
    });
    try {
      while (this.#waiting.length > 0 && !this.#failure) {
        this.#start();
        this.#hurry();
        await this.#working;
      }
    } finally {
      callOff();
    }
    if (this.#failure) throw this.#failure.error;
  }

  #start(): void {
    this.#working ??= this.#work()
      .catch((error: unknown) => void (this.#failure = { error }))
      .finally(() => (this.#working = null));
  }

  async #work(): Promise<void> {
    const { waitSeconds, max } = this.#options;
    await this.#pause(waitSeconds);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, max);
      await this.#sendUntil(batch);
      this.#waiting.splice(0, batch.length);
    }
  }

  async #sendUntil(batch: readonly T[]): Promise<void> {
    const { pauses, isPassing } = this.#options;
    for (let tries = 0; ; tries++) {
      try {
        return await this.#trySend(batch);
      } catch (error) {
        const seconds = pauses[tries];
        if (seconds === undefined || this.#over.signal.aborted || !isPassing(error)) throw error;
        await this.#pause(seconds);
      }
    }
  }

  async #trySend(batch: readonly T[]): Promise<void> {
    const { timer, sendSeconds, send } = this.#options;
    const over = this.#over.signal;
    const late = new AbortController();
    const callOff = timer.after(sendSeconds * 1000, () =>
      late.abort(new Error(`no answer within ${sendSeconds} seconds`)),
    );
    const end = (): void => late.abort(over.reason);
    over.addEventListener("abort", end, { once: true });
    try {
      await send(batch, late.signal);
    } finally {
      over.removeEventListener("abort", end);
      callOff();
    }
  }

  #pause(seconds: number): Promise<void> {
    return new Promise((go) => {
      const callOff = this.#options.timer.after(seconds * 1000, go);
      this.#hurry = () => {
        callOff();
        go();
      };
    });
  }
}
