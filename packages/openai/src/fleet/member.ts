import { LaconicError } from "@laconic/core";
import { untilAborted } from "@laconic/core/async";
import type { FleetClock } from "./clock.ts";
import { GapWindow, replyFault, type ReplyGap } from "./reply-gap.ts";
import { checkGap, type PublishedWeights, type SamplingServer } from "./servers/sampling-server.ts";

/**
 * `paused`: the server failed, and is asked again once it reports health. `quarantined`: it answered wrongly, and is asked again
 * once it passes a probe.
 */
export type ServerState = "up" | "paused" | "quarantined";

/** A server of a fleet as it is now. */
export interface ServerStatus {
  readonly kind: string;
  readonly url: string;
  readonly state: ServerState;
  readonly inFlight: number;
  /** Accepted replies, and their tokens. */
  readonly replies: number;
  readonly tokens: number;
  /** Requests that went to another server, or were asked again. */
  readonly failures: number;
  /** Replies that were thrown away, because they were not of the requested weights. */
  readonly thrown: number;
  readonly quarantines: number;
  /** Mean log-prob gap of a token over the last 100 replies, thrown ones included; null before the first. */
  readonly gap: number | null;
  /** Why it is not asked, or was last not. */
  readonly reason: string | null;
}

/** First and longest wait of a server that failed, and of one in quarantine; waits double. */
const pauseMs = { first: 500, longest: 60_000 };
const quarantineMs = { first: 15_000, longest: 900_000 };
/** Limit of cleanup requests. */
const tidyMs = 10_000;
/** Malformed replies in a row before quarantine. */
const maxStrikes = 3;

/** What a server needs of its fleet. */
export interface MemberOptions {
  readonly slots: number;
  readonly clock: FleetClock;
  /** Max mean log-prob gap between server and trainer: of the fixed text of a load, and of replies. */
  readonly tolerances: () => { readonly load: number; readonly reply: number };
  /** Ends a load that takes too long, or has no waiter. */
  readonly limit: () => AbortSignal;
  /** Called when weights are loaded, or failed to. */
  readonly onLoaded: () => void;
}

/** One server of a fleet. */
export class Member {
  readonly server: SamplingServer;
  readonly slots: number;
  inFlight = 0;
  state: ServerState = "up";
  retryAtMs = 0;
  checking = false;
  reason: string | null = null;
  readonly #options: MemberOptions;
  readonly #counts = { replies: 0, tokens: 0, failures: 0, thrown: 0, quarantines: 0 };
  #window = new GapWindow();
  readonly #loaded = new Map<string, Promise<void>>();
  /** Start times of loads in progress. */
  readonly #loading = new Map<string, number>();
  #pauseMs = pauseMs.first;
  #quarantineMs = quarantineMs.first;
  #strikes = 0;
  #lastStrike: LaconicError | null = null;

  constructor(server: SamplingServer, options: MemberOptions) {
    this.server = server;
    this.slots = options.slots;
    this.#options = options;
  }

  get url(): string {
    return this.server.url;
  }

  get status(): ServerStatus {
    const { state, inFlight, reason, url } = this;
    return { kind: this.server.kind, url, state, inFlight, ...this.#counts, gap: this.#window.mean, reason };
  }

  /** Loads the weights once, however many ask. */
  ensure(weights: PublishedWeights): Promise<void> {
    const { name, kind } = weights;
    const known = this.#loaded.get(name);
    if (known) return known;
    // A server of one version has dropped the one before.
    if (this.server.holds[kind] === 1) this.#loaded.clear();
    const signal = this.#options.limit();
    const loading = this.server.load(weights, signal).then(() => this.#checkLoad(weights, signal));
    this.#loaded.set(name, loading);
    this.#loading.set(name, this.#options.clock.nowMs());
    loading
      .catch(() => this.#loaded.delete(name))
      .finally(() => {
        this.#loading.delete(name);
        this.#options.onLoaded();
      });
    return loading;
  }

  /** Start time of the load of these weights; null while none is in progress. */
  loadsSinceMs(name: string): number | null {
    return this.#loading.get(name) ?? null;
  }

  /** Finds servers that report a load and keep other weights. */
  async #checkLoad({ name, check, ...weights }: PublishedWeights, signal: AbortSignal): Promise<void> {
    if (!check) return;
    const mean = checkGap(check, await this.server.promptLogProbs({ name, ...weights }, check.tokens, signal));
    if (mean <= this.#options.tolerances().load) return;
    const reported = Number.isNaN(mean)
      ? "gives no log-probs for it"
      : `its log-probs are ${mean.toPrecision(3)} from those of the trainer`;
    throw new LaconicError("reply_malformed", `${this.url}: has loaded ${name}, but ${reported}`, {
      server: this.url,
      weights: name,
    });
  }

  /** The server no longer has these weights, as after a restart. */
  forget(name: string): void {
    this.#loaded.delete(name);
  }

  /** Unloads weights. Errors are left to the next start: unused names do no harm. */
  async retire(name: string): Promise<void> {
    const loading = this.#loaded.get(name);
    if (!loading) return;
    this.#loaded.delete(name);
    // A server that does not answer does not hold up the others.
    const signal = this.#options.clock.timeout(tidyMs);
    await untilAborted(loading, signal, `unloading ${name}`)
      .then(() => this.server.unload(name, signal))
      .catch(() => undefined);
  }

  /** Unloads all weights whose names begin with a prefix. */
  async clear(prefix: string): Promise<void> {
    const signal = this.#options.clock.timeout(tidyMs);
    const left = (await this.server.names(signal)).filter((name) => name.startsWith(prefix));
    await Promise.all(left.map((name) => this.server.unload(name, signal)));
  }

  /** Compares a reply with the trainer's log-probs. @returns why the reply is thrown away; null when it is accepted */
  judge(gap: ReplyGap): string | null {
    const { reply: tolerance } = this.#options.tolerances();
    const fault = replyFault(gap, tolerance);
    this.#window.add(gap, tolerance, fault !== null);
    return fault;
  }

  /** Why its last replies call for quarantine; null while they do not. */
  get distrust(): string | null {
    return this.#window.fault(this.#options.tolerances().reply);
  }

  answered(tokens: number): void {
    this.#counts.replies += 1;
    this.#counts.tokens += tokens;
    this.#strikes = 0;
    this.#pauseMs = pauseMs.first;
  }

  pause(error: LaconicError): void {
    this.#counts.failures += 1;
    if (this.state !== "up") return;
    this.state = "paused";
    this.reason = error.message;
    const { retryAfterMs, crowded } = error.detail;
    if (crowded !== true) this.#loaded.clear(); // a restarted server has no weights
    this.#waitMs(typeof retryAfterMs === "number" ? retryAfterMs : this.#pauseMs);
  }

  #waitMs(ms: number): void {
    this.retryAtMs = this.#options.clock.nowMs() + ms;
    this.#pauseMs = Math.min(pauseMs.longest, 2 * this.#pauseMs);
  }

  /** @returns whether to report it: one failed load fails all requests that waited for it, and the next may fail alike */
  strike(error: LaconicError): boolean {
    this.#counts.failures += 1;
    if (error === this.#lastStrike || this.state === "quarantined") return false;
    const isKnown = error.message === this.#lastStrike?.message;
    this.#lastStrike = error;
    this.#strikes += 1;
    this.reason = error.message;
    if (this.#strikes < maxStrikes) return !isKnown;
    this.quarantine(error);
    return true;
  }

  /** @returns whether it is the first reply of this server that is thrown away */
  throwAway(error: LaconicError): boolean {
    this.#counts.failures += 1;
    this.#counts.thrown += 1;
    if (this.state !== "quarantined") this.reason = error.message;
    return this.#counts.thrown === 1;
  }

  quarantine(error: LaconicError): void {
    if (this.state !== "quarantined") this.#counts.quarantines += 1;
    this.state = "quarantined";
    this.reason = error.message;
    this.#loaded.clear(); // its names are not trusted
    this.retryAtMs = this.#options.clock.nowMs() + this.#quarantineMs;
    this.#quarantineMs = Math.min(quarantineMs.longest, 2 * this.#quarantineMs);
  }

  /** Probes a quarantined server; earlier replies no longer count once it passes. */
  async readmit(probe: (server: SamplingServer) => Promise<unknown>): Promise<boolean> {
    const failure = await this.#errorOf(() => probe(this.server));
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

  /** Whether a paused server is healthy again. */
  async check(): Promise<boolean> {
    const failure = await this.#errorOf(() => this.server.facts(this.#options.clock.timeout(tidyMs)));
    if (failure) {
      if (this.state === "paused") this.reason = failure.message;
      this.#waitMs(this.#pauseMs);
      return false;
    }
    // Late replies may have put it into quarantine meanwhile.
    if (this.state === "paused") this.state = "up";
    return this.state === "up";
  }

  async #errorOf(ask: () => Promise<unknown>): Promise<Error | null> {
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
