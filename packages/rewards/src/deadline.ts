import { thrownText } from "@laconic/core";

/** Injectable clock and timer. */
export interface Timer {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Schedules one call; returns its cancellation. */
  after(milliseconds: number, call: () => void): () => void;
}

export interface TimerSource<Id> {
  setTimeout(call: () => void, milliseconds: number): Id;
  clearTimeout(id: Id): void;
  readonly performance: { now(): number };
}

/** The platform's timer. */
export function timerOf<Id>(source: TimerSource<Id>): Timer {
  return {
    now: () => source.performance.now(),
    after: (milliseconds, call) => {
      const id = source.setTimeout(call, milliseconds);
      return () => source.clearTimeout(id);
    },
  };
}

/** Answer or error. */
export type Answered<T> =
  | { readonly status: "answered"; readonly value: T }
  | { readonly status: "error"; readonly reason: string; readonly cause?: unknown };

/** The signal aborts at the deadline. */
export type Ask = <T>(question: (signal: AbortSignal) => T | Promise<T>) => Promise<Answered<T>>;

const longestTimer = 2 ** 31 - 1;

/** Fails a question after `seconds` without any answer, so queued questions do not time out while the queue moves. */
export function withDeadline({ seconds, timer }: { readonly seconds: number; readonly timer: Timer }): Ask {
  let lastAnswer = -Infinity;
  return async (question) => {
    const controller = new AbortController();
    const asked = timer.now();
    let callOff = (): void => undefined;
    const late = new Promise<{ status: "error"; reason: string }>((resolve) => {
      const look = (): void => {
        const left = Math.max(asked, lastAnswer) + seconds * 1000 - timer.now();
        if (left >= 1) {
          callOff = timer.after(Math.min(left, longestTimer), look);
          return;
        }
        resolve({ status: "error", reason: `no answer within ${seconds} s` });
        controller.abort();
      };
      look();
    });
    const answered = answerTo(question, controller.signal).then((answer) => {
      if (answer.status === "answered") lastAnswer = timer.now();
      return answer;
    });
    const first = await Promise.race([answered, late]);
    callOff();
    return first;
  };
}

export async function answerTo<T>(
  question: (signal: AbortSignal) => T | Promise<T>,
  signal: AbortSignal,
): Promise<Answered<T>> {
  try {
    return { status: "answered", value: await question(signal) };
  } catch (cause) {
    return { status: "error", reason: thrownText(cause), cause };
  }
}
