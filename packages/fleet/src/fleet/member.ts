import { LaconicError } from "@laconic/core";
import type { FleetClock } from "../clock.ts";
import { checkGap, type PublishedWeights, type SamplingServer } from "../servers/sampling-server.ts";

/** Whether a server is asked: `paused` ones are looked at again, `excluded` ones are not in this run. */
export type ServerState = "up" | "paused" | "excluded";

/** A server as it stands in its fleet. */
export interface ServerStatus {
  readonly kind: string;
  readonly url: string;
  readonly state: ServerState;
  readonly inFlight: number;
  /** Replies and tokens that were taken from it. */
  readonly replies: number;
  readonly tokens: number;
  /** Requests that went to another server, or were asked again. */
  readonly failures: number;
  /** Why it is not asked, or was last not. */
  readonly reason: string | null;
}

/** First wait of a server that failed; it doubles up to a minute. */
const firstWaitMs = 500;
const longestWaitMs = 60_000;
/** Malformed replies in a row after which a server is not asked any more. */
const mostStrikes = 3;

/** One server of a fleet: what it holds, whether it is asked. */
export class Member {
  readonly server: SamplingServer;
  readonly slots: number;
  inFlight = 0;
  state: ServerState = "up";
  retryAtMs = 0;
  checking = false;
  replies = 0;
  tokens = 0;
  failures = 0;
  reason: string | null = null;
  readonly #clock: FleetClock;
  readonly #tolerance: () => number;
  readonly #loaded = new Map<string, Promise<void>>();
  #waitMs = firstWaitMs;
  #strikes = 0;
  #lastStrike: LaconicError | null = null;

  /** @param tolerance - most mean gap of log-probs between server and trainer under equal weights */
  constructor(server: SamplingServer, slots: number, clock: FleetClock, tolerance: () => number) {
    this.server = server;
    this.#tolerance = tolerance;
    this.slots = slots;
    this.#clock = clock;
  }

  get url(): string {
    return this.server.url;
  }

  get status(): ServerStatus {
    const { state, inFlight, replies, tokens, failures, reason } = this;
    return { kind: this.server.kind, url: this.url, state, inFlight, replies, tokens, failures, reason };
  }

  /** Loads the weights once, however many ask. */
  ensure(weights: PublishedWeights, signal?: AbortSignal): Promise<void> {
    const known = this.#loaded.get(weights.name);
    if (known) return known;
    // A server that holds one version has let go of the one before.
    if (this.server.holds[weights.kind] === 1) this.#loaded.clear();
    const loading = this.server.load(weights, signal).then(() => this.#check(weights));
    this.#loaded.set(weights.name, loading);
    loading.catch(() => this.#loaded.delete(weights.name));
    return loading;
  }

  /** Servers that load a name and go on with other weights are found out here. */
  async #check({ name, check, ...weights }: PublishedWeights): Promise<void> {
    if (!check) return;
    const found = await this.server.promptLogProbs({ name, ...weights }, check.tokens);
    const mean = checkGap(check, found);
    if (mean <= this.#tolerance()) return;
    const told = Number.isNaN(mean)
      ? "gives no log-probs for it"
      : `its log-probs are ${mean.toPrecision(3)} from those of the trainer`;
    throw new LaconicError("reply_malformed", `${this.url}: has loaded ${name}, but ${told}`, {
      server: this.url,
      weights: name,
    });
  }

  /** It was restarted, or let go of them by itself. */
  forget(name: string): void {
    this.#loaded.delete(name);
  }

  /** Errors are left to the next start: names that nobody asks for do no harm. */
  async retire(name: string): Promise<void> {
    const loading = this.#loaded.get(name);
    if (!loading) return;
    this.#loaded.delete(name);
    await loading.then(() => this.server.unload(name)).catch(() => undefined);
  }

  answered(tokens: number): void {
    this.replies += 1;
    this.tokens += tokens;
    this.#strikes = 0;
    this.#waitMs = firstWaitMs;
  }

  /** Stays out until it says that it is well. */
  pause(error: LaconicError): void {
    this.failures += 1;
    if (this.state !== "up") return;
    this.state = "paused";
    this.reason = error.message;
    const { retryAfterMs, crowded } = error.detail;
    if (crowded !== true) this.#loaded.clear(); // what was restarted holds nothing
    this.retryAtMs = this.#clock.nowMs() + (typeof retryAfterMs === "number" ? retryAfterMs : this.#waitMs);
    this.#waitMs = Math.min(longestWaitMs, 2 * this.#waitMs);
  }

  /** @returns true when it is not asked any more */
  strike(error: LaconicError): boolean {
    this.failures += 1;
    // One failed load is told to all who waited for it.
    if (error === this.#lastStrike) return false;
    this.#lastStrike = error;
    this.#strikes += 1;
    this.reason = error.message;
    if (this.#strikes < mostStrikes) return false;
    this.exclude(error);
    return true;
  }

  exclude(error: LaconicError): void {
    this.state = "excluded";
    this.reason = error.message;
  }

  /** Whether it is well again. */
  async check(): Promise<boolean> {
    this.checking = true;
    try {
      await this.server.facts(this.#clock.timeout(10_000));
      this.state = "up";
      return true;
    } catch (error) {
      this.reason = (error as Error).message;
      this.retryAtMs = this.#clock.nowMs() + this.#waitMs;
      this.#waitMs = Math.min(longestWaitMs, 2 * this.#waitMs);
      return false;
    } finally {
      this.checking = false;
    }
  }
}
