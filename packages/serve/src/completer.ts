import { ClientGone } from "./client-gone.ts";
import { eventStream } from "./event-stream.ts";
import { errorBody, HttpError, invalid, jsonResponse, refusalOf } from "./http.ts";
import type { ServerSettings } from "./options.ts";

/** The replies to one request. */
export interface Replies {
  readonly count: number;
  readonly isStreamed: boolean;
  /**
   * @param gone - aborted when nobody waits for them any more
   * @param send - takes chunks as they are written; null for the whole answer alone
   * @returns the whole answer
   */
  readonly make: (gone: AbortController, send: ((chunk: unknown) => void) | null) => Promise<unknown>;
  /** How a surface other than OpenAI's chat says that a reply failed; its events are named. */
  readonly errorOf?: (refusal: HttpError) => unknown;
}

/** Makes the replies to requests, so many at once. */
export interface Completer {
  /** Replies in the making. */
  running(): number;
  /**
   * @param end - called once when the last reply is made, or has failed
   * @throws HttpError 429 where too many are in the making, and what making them throws
   */
  complete(replies: Replies, request: Request, end?: () => void): Promise<Response>;
}

export function createCompleter({
  maxConcurrency,
  onError,
}: Pick<Required<ServerSettings>, "maxConcurrency" | "onError">): Completer {
  let running = 0;

  /** @returns what gives the places back */
  const takePlaces = (count: number): (() => void) => {
    if (count > maxConcurrency)
      throw invalid(`${count} replies are asked for; one request gets at most ${maxConcurrency}`, "n");
    if (running + count > maxConcurrency)
      throw new HttpError(429, "rate_limit_error", `${maxConcurrency} replies are in the making already`);
    running += count;
    return () => {
      running -= count;
    };
  };

  return {
    running: () => running,
    async complete({ count, isStreamed, make, errorOf }, request, ended = () => undefined) {
      const release = takePlaces(count);
      const gone = new AbortController();
      const leave = (): void => gone.abort();
      if (request.signal.aborted) leave();
      request.signal.addEventListener("abort", leave, { once: true });
      const end = (): void => {
        request.signal.removeEventListener("abort", leave);
        release();
        ended();
      };
      if (!isStreamed) {
        try {
          return jsonResponse(200, await make(gone, null));
        } catch (error) {
          if (!(error instanceof ClientGone)) throw error;
          return error.toResponse();
        } finally {
          end();
        }
      }
      return eventStream({
        produce: (send) => make(gone, send).finally(end),
        gone,
        describe: (error) => (errorOf ?? errorBody)(refusalOf(error, onError)),
        isNamed: errorOf !== undefined,
      });
    },
  };
}
