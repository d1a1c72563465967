import { HttpError, invalid } from "../http.ts";
import type { WaitingLimits } from "../options.ts";
import type { TeamEpisode } from "./team-episode.ts";
import type { TeamRequest } from "./team-request.ts";

interface Waiting {
  readonly episode: TeamEpisode;
  /** What the request was that it began with. */
  readonly begun: string;
  readonly ids: readonly string[];
  readonly timer: NodeJS.Timeout;
}

/** An episode that goes on, and what its calls answered. */
export interface ResumedEpisode {
  readonly episode: TeamEpisode;
  /** In the order of the calls. */
  readonly results: readonly string[];
}

/** Episodes that wait for what a caller's tools answer, so many and so long: past either they end. */
export class WaitingEpisodes {
  readonly #limits: Required<WaitingLimits>;
  /** The one that has waited longest first. */
  readonly #waiting = new Set<Waiting>();
  readonly #byCall = new Map<string, Waiting>();

  constructor({ maxEpisodes = 64, maxSeconds = 600 }: WaitingLimits = {}) {
    this.#limits = { maxEpisodes, maxSeconds };
  }

  get count(): number {
    return this.#waiting.size;
  }

  /** Keeps an episode that has called. */
  hold(episode: TeamEpisode, begun: string): void {
    const ids = (episode.asked?.calls ?? []).map(({ id }) => id);
    const waiting = {
      episode,
      begun,
      ids,
      timer: setTimeout(() => this.#end(waiting), this.#limits.maxSeconds * 1000),
    };
    waiting.timer.unref();
    this.#waiting.add(waiting);
    for (const id of ids) this.#byCall.set(id, waiting);
    const [first] = this.#waiting;
    if (first && this.#waiting.size > this.#limits.maxEpisodes) this.#end(first);
  }

  /**
   * The episode whose calls a request answers; it waits no more. A request that is refused leaves it waiting.
   * @throws HttpError 410 where none waits for them, 400 for answers that are missing or not asked for, and for another beginning
   */
  take({ answers, begun }: Required<Pick<TeamRequest, "answers" | "begun">>): ResumedEpisode {
    const given = [...(answers ?? new Map<string, string>()).keys()];
    const waiting = given.map((id) => this.#byCall.get(id)).find((each) => each !== undefined);
    if (!waiting) throw this.#gone(given);
    const stranger = given.find((id) => !waiting.ids.includes(id));
    if (stranger !== undefined)
      throw invalid(`no call ${JSON.stringify(stranger)} waits; there are ${waiting.ids.join(", ")}`, "messages");
    const missing = waiting.ids.filter((id) => !given.includes(id));
    if (missing.length > 0)
      throw invalid(`every call needs its answer in one request: ${missing.join(", ")} has none`, "messages");
    if (waiting.begun !== begun)
      throw invalid(
        "an episode goes on as it began: send the same question, views, model, sampling, seed and max_tokens again",
        "messages",
      );
    this.#forget(waiting);
    return { episode: waiting.episode, results: waiting.ids.map((id) => answers?.get(id) ?? "") };
  }

  #gone(ids: readonly string[]): HttpError {
    const { maxSeconds, maxEpisodes } = this.#limits;
    const calls = `${ids.length === 1 ? "call" : "calls"} ${ids.map((id) => JSON.stringify(id)).join(", ")}`;
    const why = `it was answered already, is older than ${maxSeconds} s, gave way to ${maxEpisodes} newer ones, or was asked of another process`;
    const message = `no episode waits for ${calls}: ${why}; ask the question again, without calls and their answers`;
    return new HttpError(410, "invalid_request_error", message, "messages", "episode_gone");
  }

  #end(waiting: Waiting): void {
    this.#forget(waiting);
    waiting.episode.end();
  }

  #forget(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    this.#waiting.delete(waiting);
    for (const id of waiting.ids) this.#byCall.delete(id);
  }
}
