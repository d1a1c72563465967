import type { Random } from "@laconic/core";

/**
 * Plays until it does not fail, or has failed once more than `retries` times.
 * @param stops - whether a failure is the last, whatever it was
 * @throws what the last attempt throws
 */
export async function attempts<T>(
  retries: number,
  play: (attempt: number) => Promise<T>,
  { stops = () => false, failed = () => undefined }: { stops?: () => boolean; failed?: () => void } = {},
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await play(attempt);
    } catch (error) {
      if (attempt >= retries || stops()) throw error;
      failed();
    }
  }
}

/** An attempt's own random numbers; those of the first are the stream's. */
export function streamOfAttempt(random: Random, attempt: number): Random {
  return attempt === 0 ? random : random.split(`attempt:${attempt}`);
}
