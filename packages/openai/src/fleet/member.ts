import type { FleetClock } from "./clock.ts";
import { LaconicError } from "@laconic/core";
import { untilAborted } from "@laconic/core/async";
import { GapWindow, replyFault, type ReplyGap } from "./reply-gap.ts";
import { checkGap, type PublishedWeights, type SamplingServer } from "./servers/sampling-server.ts";

/**
 * Whether a server is asked. `paused`: it failed, and is asked again once it says that it is well. `quarantined`: it answered
 * wrongly, and is asked again once it passes a probe.
 */
export type ServerState = "up" | "paused" | "quarantined";

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
  /** Replies that were thrown away, because they were not of the weights that they were asked of. */
  readonly thrown: number;
  /** Times that it was put into quarantine. */
  readonly quarantines: number;
  /** Mean gap of a token's log-prob over its last 100 replies, those that were thrown away among them; null before the first. */
  readonly gap: number | null;
  /** Why it is not asked, or was last not. */
  readonly reason: string | null;
}

/** First wait of a server that failed; it doubles up to a minute. */
const firstWaitMs = 500;
const longestWaitMs = 60_000;
/** First wait of a server in quarantine before it is probed; it doubles with each probe that fails, and each return. */
const firstQuarantineMs = 15_000;
const longestQuarantineMs = 900_000;
/** Most milliseconds of what only tidies up. */
const tidyMs = 10_000;
/** Malformed replies in a row after which a server is not asked any more. */
const maxStrikes = 3;

/** Most mean gap of log-probs between server and trainer under equal weights: of the fixed text of a load, and of replies. */
export interface Tolerances {
  readonly load: number;
  readonly reply: number;
}

/** What a server has of its fleet. */
export interface MemberOptions {
  readonly slots: number;
  readonly clock: FleetClock;
  readonly tolerances: () => Tolerances;
  /** Ends a load that takes too long, or that nobody waits for any more. */
  readonly limit: () => AbortSignal;
  /** Hears when weights have come, or have not. */
  readonly onLoaded: () => void;
}

/** One server of a fleet: what it holds, whether it is asked. */
export class Member {
  readonly server: SamplingServer;
  inFlight = 0;
  state: ServerState = "up";
  retryAtMs = 0;
  checking = false;
  replies = 0;
  tokens = 0;
  failures = 0;
  reason: string | null = null;
  readonly #options: MemberOptions;
  #window = new GapWindow();
  readonly #loaded = new Map<string, Promise<void>>();
  /** Weights that are on their way, and since when. */
  readonly #coming = new Map<string, number>();
  #waitMs = firstWaitMs;
  #strikes = 0;
  #quarantineMs = firstQuarantineMs;
  thrown = 0;
  quarantines = 0;
  #lastStrike: LaconicError | null = null;

  constructor(server: SamplingServer, options: MemberOptions) {
    this.server = server;
    this.#options = options;
  }

  get slots(): number {
    return this.#options.slots;
  }
  get url(): string {
    return this.server.url;
  }

  get status(): ServerStatus {
    const { state, inFlight, replies, tokens, failures, thrown, quarantines, reason } = this;
    return {
      kind: this.server.kind,
      url: this.url,
      state,
      inFlight,
      replies,
      tokens,
      failures,
      thrown,
      quarantines,
      gap: this.#window.mean,
      reason,
    };
  }

  /** Loads the weights once, however many ask. */
  ensure(weights: PublishedWeights): Promise<void> {
    const known = this.#loaded.get(weights.name);
    if (known) return known;
    // A server that holds one version has let go of the one before.
    if (this.server.holds[weights.kind] === 1) this.#loaded.clear();
    const signal = this.#options.limit();
    const loading = this.server.load(weights, signal).then(() => this.#check(weights, signal));
    this.#loaded.set(weights.name, loading);
    this.#coming.set(weights.name, this.#options.clock.nowMs());
    loading
      .catch(() => this.#loaded.delete(weights.name))
      .finally(() => {
        this.#coming.delete(weights.name);
        this.#options.onLoaded();
      });
    return loading;
  }

  /** Since when weights of this name are on their way; null where they are not. */
  awaitsSinceMs(name: string): number | null {
    return this.#coming.get(name) ?? null;
  }

  /** Servers that load a name and go on with other weights are found out here. */
  async #check({ name, check, ...weights }: PublishedWeights, signal: AbortSignal): Promise<void> {
    if (!check) return;
    const found = await this.server.promptLogProbs({ name, ...weights }, check.tokens, signal);
    const mean = checkGap(check, found);
    if (mean <= this.#options.tolerances().load) return;
    const reported = Number.isNaN(mean)
      ? "gives no log-probs for it"
      : `its log-probs are ${mean.toPrecision(3)} from those of the trainer`;
    throw new LaconicError("reply_malformed", `${this.url}: has loaded ${name}, but ${reported}`, {
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
    // A server that takes no weights in is not waited for, nor one that lets none go.
    const signal = this.#options.clock.timeout(tidyMs);
    await untilAborted(loading, signal, `unloading ${name}`)
      .then(() => this.server.unload(name, signal))
      .catch(() => undefined);
  }

  /** Unloads all names that begin so, as long as the server answers. */
  async clear(prefix: string): Promise<void> {
    const signal = this.#options.clock.timeout(tidyMs);
    const left = (await this.server.names(signal)).filter((name) => name.startsWith(prefix));
    await Promise.all(left.map((name) => this.server.unload(name, signal)));
  }

  /**
   * Holds a reply against the trainer's log-probs of it; a server whose replies are too far from them is not asked any more.
   * @returns why the reply is thrown away; null when it is taken
   */
  judge(gap: ReplyGap): string | null {
    const { reply: tolerance } = this.#options.tolerances();
    const fault = replyFault(gap, tolerance);
    this.#window.add(gap, tolerance, fault !== null);
    return fault;
  }

  /** Why its last replies speak against it; null while they do not. */
  get distrust(): string | null {
    return this.#window.fault(this.#options.tolerances().reply);
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
    this.retryAtMs = this.#options.clock.nowMs() + (typeof retryAfterMs === "number" ? retryAfterMs : this.#waitMs);
    this.#waitMs = Math.min(longestWaitMs, 2 * this.#waitMs);
  }

  /** @returns whether it is worth a word: one failed load fails all requests that waited for it, and the next may fail alike */
  strike(error: LaconicError): boolean {
    this.failures += 1;
    if (error === this.#lastStrike || this.state === "quarantined") return false;
    const isKnown = error.message === this.#lastStrike?.message;
    this.#lastStrike = error;
    this.#strikes += 1;
    this.reason = error.message;
    if (this.#strikes < maxStrikes) return !isKnown;
    this.quarantine(error);
    return true;
  }

  /** @returns whether it is the first reply of this server that was thrown away */
  throwAway(error: LaconicError): boolean {
    this.failures += 1;
    this.thrown += 1;
    if (this.state !== "quarantined") this.reason = error.message;
    return this.thrown === 1;
  }

  /** Not asked until it passes a probe; the wait before that doubles each time. */
  quarantine(error: LaconicError): void {
    if (this.state !== "quarantined") this.quarantines += 1;
    this.state = "quarantined";
    this.reason = error.message;
    this.#loaded.clear(); // what it holds under its names is not believed
    this.retryAtMs = this.#options.clock.nowMs() + this.#quarantineMs;
    this.#quarantineMs = Math.min(longestQuarantineMs, 2 * this.#quarantineMs);
  }

  /** Whether it passes a probe and is asked again; its replies of before count no more. */
  async readmit(probe: (server: SamplingServer) => Promise<unknown>): Promise<boolean> {
    const failure = await this.#checked(() => probe(this.server));
    if (failure) {
      this.quarantine(LaconicError.is(failure) ? failure : new LaconicError("engine_failed", failure.message));
      return false;
    }
    this.#window = new GapWindow();
    this.#strikes = 0;
    this.#lastStrike = null;
    this.state = "up";
    return true;
  }

  /** Whether it is well again. */
  async check(): Promise<boolean> {
    const { clock } = this.#options;
    const failure = await this.#checked(() => this.server.facts(clock.timeout(tidyMs)));
    if (failure) {
      if (this.state === "paused") this.reason = failure.message;
      this.retryAtMs = clock.nowMs() + this.#waitMs;
      this.#waitMs = Math.min(longestWaitMs, 2 * this.#waitMs);
      return false;
    }
    // What was on its way may have spoken against it meanwhile.
    if (this.state === "paused") this.state = "up";
    return this.state === "up";
  }

  async #checked(ask: () => Promise<unknown>): Promise<Error | null> {
    this.checking = true;
    try {
      await ask();
      return null;
    } catch (error) {
      return error as Error;
    } finally {
      this.checking = false;
    }
  }
}
