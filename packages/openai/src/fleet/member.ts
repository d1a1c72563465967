import { LaconicError } from "@laconic/core";
import { untilAborted } from "@laconic/core/async";
import type { FleetClock } from "./clock.ts";
import { GapWindow, replyFault, type ReplyGap } from "./reply-gap.ts";
import { checkGap, type PublishedWeights, type SamplingServer } from "./servers/sampling-server.ts";

/**
 * `paused`: the server failed and returns when it reports health. `quarantined`: it answered wrongly and returns when
 * it passes a probe.
 */
export type ServerState = "up" | "paused" | "quarantined";

/** Current state of a server. */
export interface ServerStatus {
  readonly kind: string;
  readonly url: string;
  readonly state: ServerState;
  readonly inFlight: number;
  readonly replies: number;
  readonly tokens: number;
  /** Requests that were moved or repeated. */
  readonly failures: number;
  /** Replies discarded because other weights generated them. */
  readonly thrown: number;
  readonly quarantines: number;
  /** Mean per token over the last 100 replies, discarded ones included; null before the first. */
  readonly gap: number | null;
  readonly reason: string | null;
}

/** Waits double after each failure and in quarantine. */
const pauseMs = { first: 500, longest: 60_000 };
const quarantineMs = { first: 15_000, longest: 900_000 };
const tidyMs = 10_000;
const maxStrikes = 3;

export interface MemberOptions {
  readonly slots: number;
  /** Requires a server with `sleep` and `wake`. */
  readonly sleeps: boolean;
  readonly clock: FleetClock;
  readonly tolerances: () => { readonly load: number; readonly reply: number };
  /** Aborts a load that takes too long or has no waiter. */
  readonly limit: () => AbortSignal;
  readonly onLoaded: () => void;
}

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
  readonly #loading = new Map<string, number>();
  /** Names to unload after waking; null while awake. */
  #asleep: readonly string[] | null = null;
  #waking: Promise<void> | null = null;
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

  ensure(weights: PublishedWeights): Promise<void> {
    const { name, kind } = weights;
    const loaded = this.#loaded.get(name);
    if (loaded) return loaded;
    // A server that holds one version has dropped the previous one.
    if (this.server.holds[kind] === 1) this.#loaded.clear();
    const signal = this.#options.limit();
    const loading = this.#wake(signal)
      .then(() => this.server.load(weights, signal))
      .then(() => this.#checkLoad(weights, signal));
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

  /** True if awake, and neither loading nor generating. */
  get maySleep(): boolean {
    const isIdle = this.state === "up" && this.inFlight === 0 && this.#loading.size === 0;
    return this.#options.sleeps && isIdle && !this.#asleep;
  }

  /** Frees the server's memory until the next load. */
  async sleep(): Promise<void> {
    this.#asleep = [...this.#loaded.keys()];
    // Sleep may damage adapters (vLLM issue 53888), so a woken server loads and is checked again.
    this.#loaded.clear();
    await this.server.sleep!(this.#options.limit());
  }

  /** Shared by all loads that wait for it. */
  async #wake(signal: AbortSignal): Promise<void> {
    if (!this.#asleep) return;
    const names = this.#asleep;
    this.#waking ??= this.server.wake!(signal)
      .then(() => Promise.all(names.map((name) => this.server.unload(name, signal))))
      .then(() => void (this.#asleep = null))
      .finally(() => (this.#waking = null));
    await this.#waking;
  }

  /** Start time of the load of these weights; null if no load is in progress. */
  loadsSinceMs(name: string): number | null {
    return this.#loading.get(name) ?? null;
  }

  /** Detects servers that report a load but keep other weights. */
  async #checkLoad({ name, check, ...weights }: PublishedWeights, signal: AbortSignal): Promise<void> {
    if (!check) return;
    const mean = checkGap(check, await this.server.promptLogProbs({ name, ...weights }, check.tokens, signal));
    if (mean <= this.#options.tolerances().load) return;
    const reported = Number.isNaN(mean)
      ? "reports no log-probs for it"
      : `its log-probs differ from the trainer's by ${mean.toPrecision(3)}`;
    throw new LaconicError("reply_malformed", `${this.url}: loaded ${name}, but ${reported}`, {
      server: this.url,
      weights: name,
    });
  }

  forget(name: string): void {
    this.#loaded.delete(name);
  }

  /** Ignores errors: unused names do no harm. */
  async retire(name: string): Promise<void> {
    const loading = this.#loaded.get(name);
    if (!loading) return;
    this.#loaded.delete(name);
    // A silent server must not delay the others.
    const signal = this.#options.clock.timeout(tidyMs);
    await untilAborted(loading, signal, `unloading ${name}`)
      .then(() => this.server.unload(name, signal))
      .catch(() => undefined);
  }

  async clear(prefix: string): Promise<void> {
    const signal = this.#options.clock.timeout(tidyMs);
    // Also after a killed run.
    if (this.#options.sleeps) await this.server.wake!(signal);
    this.#asleep = null;
    const left = (await this.server.names(signal)).filter((name) => name.startsWith(prefix));
    await Promise.all(left.map((name) => this.server.unload(name, signal)));
  }

  /** Returns why a reply is discarded; null if it is accepted. */
  judge(gap: ReplyGap): string | null {
    const { reply: tolerance } = this.#options.tolerances();
    const fault = replyFault(gap, tolerance);
    this.#window.add(gap, tolerance, fault !== null);
    return fault;
  }

  /** Reason for quarantine by the last replies; null without one. */
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

  /** Returns whether to report it: a failed load fails all waiting requests. */
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

  /** Returns whether it is this server's first. */
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
    const failure = await this.#errorOf(async () => {
      await this.#wake(this.#options.limit());
      await probe(this.server);
    });
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

  async check(): Promise<boolean> {
    const failure = await this.#errorOf(() => this.server.facts(this.#options.clock.timeout(tidyMs)));
    if (failure) {
      if (this.state === "paused") this.reason = failure.message;
      this.#waitMs(this.#pauseMs);
      return false;
    }
    // A late reply may have quarantined it.
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
