import { expectNotAborted, untilAborted } from "@laconic/core";

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
    expectNotAborted(signal, "the request");
    const known = this.#flights.get(name);
    const flight = known ?? this.#start(name, work);
    flight.waiting++;
    try {
      return { value: await untilAborted(flight.result, signal, "the request"), shared: known !== undefined };
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
