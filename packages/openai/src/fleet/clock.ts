import { systemClock as clock, type Clock } from "@laconic/core/platform";

/** Clock of a fleet. */
export interface FleetClock extends Clock {
  /** Aborts with a `TimeoutError`. */
  timeout(ms: number): AbortSignal;
}

export const systemClock: FleetClock = { ...clock, timeout: (ms) => AbortSignal.timeout(ms) };
