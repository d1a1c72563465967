import { aborted } from "./deadline.ts";

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Work of the same name is done once at a time, and everybody who asks meanwhile gets its result. Who aborts leaves alone; the
 * work is aborted when nobody waits any more.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /**
   * @param work - gets a signal that fires when nobody waits
   * @returns the result, and whether another had begun the work
   * @throws LaconicError `aborted` for the caller's own signal, and whatever the work throws
   */
  async run(
    name: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<{ readonly value: T; readonly shared: boolean }> {
    if (signal?.aborted) throw aborted(signal);
    const known = this.#flights.get(name);
    const flight = known ?? this.#start(name, work);
    flight.waiting++;
    try {
      return { value: await untilAborted(flight.result, signal), shared: known !== undefined };
    } finally {
      // Nobody may join a flight that is being aborted.
      if (--flight.waiting === 0) {
        this.#forget(name, flight);
        flight.controller.abort();
      }
    }
  }

  #start(name: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight: Flight<T> = { result: work(controller.signal), controller, waiting: 0 };
    this.#flights.set(name, flight);
    const forget = (): void => this.#forget(name, flight);
    flight.result.then(forget, forget);
    return flight;
  }

  #forget(name: string, flight: Flight<T>): void {
    if (this.#flights.get(name) === flight) this.#flights.delete(name);
  }
}

function untilAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return result;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(aborted(signal));
    signal.addEventListener("abort", abort, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
