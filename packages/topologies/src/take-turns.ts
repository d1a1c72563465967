import { LaconicError, thrownText, type EpisodeContext, type StopReason, present } from "@laconic/core";
import { speak } from "./speak.ts";
import type { SpeakRequest, Turn } from "./turn.ts";

export interface EpisodeClock {
  /** Infinity without a limit. */
  left(): number;
}

export function episodeClock({ limits }: EpisodeContext): EpisodeClock {
  const { maxSeconds } = limits ?? {};
  if (maxSeconds === undefined) return { left: () => Infinity };
  const end = performance.now() + maxSeconds * 1000;
  return { left: () => end - performance.now() };
}

/** `ended` is null if the episode continues. */
export interface TakenTurns {
  readonly turns: readonly Turn[];
  readonly ended: StopReason | null;
  readonly error?: string;
}

class TimeUp extends Error {}

/** Max characters of an error message. */
const longestNote = 500;

/**
 * Runs independent turns concurrently and waits for all, so that errors do not depend on timing.
 * @throws LaconicError `aborted`, and without `onError: "end"` the first error in turn order
 */
export async function takeTurns(
  context: EpisodeContext,
  clock: EpisodeClock,
  requests: readonly SpeakRequest[],
): Promise<TakenTurns> {
  const { signal } = context;
  if (signal?.aborted) throw new LaconicError("aborted", "the episode was aborted", {}, signal.reason);
  const perTurn = (context.limits?.maxSecondsPerTurn ?? Infinity) * 1000;
  const time = Math.min(perTurn, clock.left());
  if (time <= 0) return { turns: [], ended: "time_limit" };
  const results = await settled(context, requests, (request) => within(time, context, request));
  const turns: Turn[] = [];
  let error: string | undefined;
  let ended: StopReason | null = null;
  for (const [i, result] of results.entries()) {
    if (result.status === "fulfilled") {
      if (result.value.done) ended ??= "done";
      turns.push(numbered(result.value, (requests[0]?.turn ?? 0) + turns.length));
    } else if (result.reason instanceof TimeUp) ended ??= "time_limit";
    else if (context.onError === "end" && !(LaconicError.is(result.reason) && result.reason.code === "aborted")) {
      ended = "error";
      error ??= `agent "${requests[i]?.agent}": ${thrownText(result.reason)}`.slice(0, longestNote);
    } else throw result.reason;
  }
  return { turns, ended, ...present({ error }) };
}

async function settled(
  { environment }: EpisodeContext,
  requests: readonly SpeakRequest[],
  take: (request: SpeakRequest) => Promise<Turn>,
): Promise<PromiseSettledResult<Turn>[]> {
  if (!environment || environment.environment.concurrent) return Promise.allSettled(requests.map(take));
  const results: PromiseSettledResult<Turn>[] = [];
  for (const request of requests) {
    results.push(...(await Promise.allSettled([take(request)])));
    const last = results.at(-1);
    if (last?.status === "fulfilled" && last.value.done) break;
  }
  return results;
}

/** Longer timers fire immediately. */
const longestDelay = 2 ** 31 - 1;

async function within(ms: number, context: EpisodeContext, request: SpeakRequest): Promise<Turn> {
  if (ms > longestDelay) return speak(context, request);
  const controller = new AbortController();
  const abort = (): void => controller.abort(context.signal?.reason);
  context.signal?.addEventListener("abort", abort, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const up = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new TimeUp());
      controller.abort();
    }, ms);
  });
  const message = speak({ ...context, signal: controller.signal }, request);
  message.catch(() => undefined);
  try {
    return await Promise.race([message, up]);
  } finally {
    clearTimeout(timer);
    context.signal?.removeEventListener("abort", abort);
  }
}

function numbered(turn: Turn, number: number): Turn {
  if (turn.call.turn === number) return turn;
  return {
    ...turn,
    utterance: { ...turn.utterance, turn: number },
    call: { ...turn.call, turn: number },
    message: { ...turn.message, turn: number },
  };
}
