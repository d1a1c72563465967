import { configError, LaconicError } from "@laconic/core";
import type { GeneratedReply, Generation, PublishedWeights, SamplingServer } from "./servers/sampling-server.ts";
import { checkFleetOptions, type FleetOptions, type ReplyJudge } from "./fleet-options.ts";
import { systemClock, type FleetClock } from "./clock.ts";
import { checkReply } from "./reply-checks.ts";
import { loadGraceMs, prefixHash, WaitingRequests, type SlotRequest } from "./waiting-requests.ts";
import { Member, type ServerStatus } from "./member.ts";
import { leftOut, Recovery } from "./recovery.ts";

/** Distributes requests over servers; prefers a free one that likely caches the prompt's prefix. */
export class Fleet {
  readonly vocabularySize: number;
  /** Max mean log-prob gap after a load. Starts at 0.1; a probe sets it. */
  tolerance = 0.1;
  /**
   * Max mean log-prob gap of replies in nats. Starts at 0.1; a probe sets five times its measurement, within 0.001 and
   * `tolerance`.
   */
  replyTolerance = 0.1;
  /** Servers that always report log-probs at temperature 1. Set by a probe. */
  rawServers: ReadonlySet<string> = new Set();
  /** Readmits a quarantined server; null keeps it in quarantine. Set by `probeFleet`. */
  probe: ((server: SamplingServer) => Promise<unknown>) | null = null;
  readonly #options: FleetOptions;
  readonly #clock: FleetClock;
  readonly #members: readonly Member[];
  readonly #waiting = new WaitingRequests();
  readonly #recovery: Recovery;
  #wakes = false;
  readonly #allWeights = { name: "", inFlight: 0 };
  readonly #closed = new AbortController();

  /** @throws LaconicError `config_invalid` for no server or a duplicate */
  constructor(options: FleetOptions) {
    checkFleetOptions(options);
    const { servers, concurrency = 64, clock = systemClock, sleeps = false } = options;
    const urls = servers.map(({ url }) => url);
    const twice = urls.find((url, i) => urls.indexOf(url) !== i);
    if (urls.length === 0) throw configError("servers: expected at least one");
    if (twice !== undefined) throw configError(`server ${twice} is listed twice`);
    const unable = sleeps && servers.find(({ sleep, wake }) => !sleep || !wake);
    if (unable) throw configError(`sleeps: ${unable.kind} servers cannot sleep`);
    this.#options = options;
    this.#clock = clock;
    this.vocabularySize = options.vocabularySize;
    const memberOptions = {
      slots: concurrency,
      sleeps,
      clock,
      tolerances: () => ({ load: this.tolerance, reply: this.replyTolerance }),
      limit: () => this.limit(),
      onLoaded: () => this.#dispatch(),
    };
    this.#members = servers.map((server) => new Member(server, memberOptions));
    this.#recovery = new Recovery({
      ...options,
      members: this.#members,
      waiting: this.#waiting,
      clock,
      probe: () => this.probe,
      isClosed: () => this.#closed.signal.aborted,
      onChanged: () => this.#dispatch(),
    });
  }

  get servers(): readonly ServerStatus[] {
    return this.#members.map(({ status }) => status);
  }

  get reportsRaw(): boolean {
    return this.rawServers.size > 0;
  }

  get asked(): readonly SamplingServer[] {
    return this.#members.filter(({ state }) => state !== "quarantined").map(({ server }) => server);
  }

  /**
   * Generates one reply. A failed request moves to another server, and its late reply is discarded.
   * @throws LaconicError `aborted`; `api_refused` for a request that no server accepts; `api_unavailable` when attempts
   * or time are used up; `reply_malformed` if every server answered wrongly; `engine_failed` for two versions of full
   * weights at once
   * @param judge - discards replies beyond the tolerance, which are retried elsewhere
   */
  async generate(
    weights: PublishedWeights,
    asked: Generation,
    signal?: AbortSignal,
    judge?: ReplyJudge,
  ): Promise<GeneratedReply> {
    if (weights.kind === "adapter") return this.#generate(weights, asked, signal, judge);
    const { name, inFlight } = this.#allWeights;
    if (inFlight > 0 && name !== weights.name)
      throw new LaconicError(
        "engine_failed",
        `cannot load ${weights.name}: a server holds one version of full weights, and ${name} is still being sampled; train an adapter (lora), or synchronously`,
      );
    this.#allWeights.name = weights.name;
    this.#allWeights.inFlight += 1;
    try {
      return await this.#generate(weights, asked, signal, judge);
    } finally {
      this.#allWeights.inFlight -= 1;
    }
  }

  async #generate(
    weights: PublishedWeights,
    asked: Generation,
    signal: AbortSignal | undefined,
    judge: ReplyJudge | undefined,
  ): Promise<GeneratedReply> {
    const { attempts: max = 8, onReply } = this.#options;
    const prefix = prefixHash(asked.promptTokens, 64);
    // A separate signal, because thousands of requests may share the caller's.
    const stop = signal && AbortSignal.any([signal]);
    const avoid = new Set<Member>();
    const beganMs = this.#clock.nowMs();
    for (let attempts = 1; ; attempts++) {
      const member = await this.#slot({ prefix, weights: weights.name, avoid }, stop);
      // The same seed would repeat the discarded reply.
      const seed = avoid.has(member) ? (asked.seed + attempts) % 2 ** 31 : asked.seed;
      try {
        const reply = await this.#ask(member, weights, { ...asked, seed }, stop).finally(() => {
          member.inFlight -= 1;
          this.#dispatch();
        });
        const gap = judge ? await this.#judged(member, weights, reply, judge) : null;
        member.answered(reply.tokens.length);
        this.#recovery.worked();
        const [promptTokens, tokens] = [asked.promptTokens.length, reply.tokens.length];
        const { name, version } = weights;
        onReply?.({ server: member.url, weights: name, version, promptTokens, tokens, gap, attempts });
        return reply;
      } catch (error) {
        if (!LaconicError.is(error)) throw error;
        this.#failed(member, weights, error);
        if (attempts >= max) throw error;
        this.#recovery.checkPatience(beganMs);
        avoid.add(member);
      } finally {
        this.#dispatch();
      }
    }
  }

  /** @throws LaconicError if no other server could help */
  #failed(member: Member, { name }: PublishedWeights, error: LaconicError): void {
    const { onNote } = this.#options;
    if (error.code === "reply_malformed") {
      if (error.detail["thrown"] === true) return;
      // The server may hold other weights under this name.
      member.forget(name);
      if (!member.strike(error)) return;
      const isOut = member.state === "quarantined";
      if (!isOut) return onNote?.(error.message);
      this.#recovery.tell(member, error.message, leftOut);
      this.#recovery.failIfNone(error);
    } else if (error.code === "api_unavailable") {
      if (member.state === "up") onNote?.(`${error.message}; its requests move to other servers`);
      member.pause(error);
    } else throw error;
  }

  /** @returns mean gap of the reply @throws LaconicError `reply_malformed` for a discarded reply */
  async #judged(
    member: Member,
    { name, version }: PublishedWeights,
    reply: GeneratedReply,
    judge: ReplyJudge,
  ): Promise<number> {
    const { onNote } = this.#options;
    const gap = await judge(reply, member.server);
    const fault = member.judge(gap);
    const { distrust } = member;
    if (distrust !== null && member.state !== "quarantined") {
      const error = new LaconicError("reply_malformed", `${member.url}: ${distrust}`, { server: member.url });
      this.quarantine(member.url, error);
      this.#recovery.tell(member, error.message, `${leftOut}; check its weights, vocabulary and tokens`);
    }
    if (fault === null) return gap.gaps.reduce((sum, value) => sum + value, 0) / gap.gaps.length;
    const error = new LaconicError("reply_malformed", `${member.url}: ${fault}`, {
      server: member.url,
      weights: name,
      version,
      thrown: true,
    });
    // Counters show later ones.
    if (member.throwAway(error)) onNote?.(`${error.message}; it is discarded and requested again`);
    throw error;
  }

  /** Loads weights in advance. Errors reach the requests that need them. */
  async prepare(weights: PublishedWeights): Promise<void> {
    const up = this.#members.filter(({ state }) => state === "up");
    const loads = up.map((member) =>
      this.#load(member, weights).catch((error: unknown) => {
        if (LaconicError.is(error)) this.#failed(member, weights, error);
      }),
    );
    await Promise.allSettled(loads);
  }

  /**
   * Idle servers free their memory until the next request. A server that fails keeps it: training may still fit.
   * @returns null if none can
   */
  sleep(): Promise<void> | null {
    const idle = this.#members.filter((member) => member.maySleep);
    if (idle.length === 0) return null;
    const { onNote } = this.#options;
    const sleeping = idle.map((member) =>
      member.sleep().catch((error: Error) => onNote?.(`${error.message}; the server keeps its memory`)),
    );
    return Promise.all(sleeping).then(() => undefined);
  }

  async retire(name: string): Promise<void> {
    await Promise.all(this.#members.map((member) => member.retire(name)));
  }

  /** Unloads weights of earlier runs, for example after a kill. */
  async clear(prefix: string): Promise<void> {
    await Promise.allSettled(this.#members.map((member) => member.clear(prefix)));
  }

  close(): void {
    this.#closed.abort(new LaconicError("aborted", "the fleet was closed"));
  }

  quarantine(url: string, error: LaconicError): void {
    this.#members.find((member) => member.url === url)?.quarantine(error);
    this.#recovery.failIfNone(error);
  }

  /** Aborts after the reply timeout and after `close`. */
  limit(): AbortSignal {
    return AbortSignal.any([this.#closed.signal, this.#replyTimeout()]);
  }

  #replyTimeout(): AbortSignal {
    return this.#clock.timeout(this.#options.replyMs ?? 300_000);
  }

  async #ask(
    member: Member,
    weights: PublishedWeights,
    asked: Generation,
    signal: AbortSignal | undefined,
  ): Promise<GeneratedReply> {
    const timeout = this.#replyTimeout();
    const both = signal ? AbortSignal.any([signal, timeout]) : timeout;
    for (let loads = 0; ; loads++) {
      await this.#load(member, weights);
      const reply = await member.server.generate(weights, asked, both);
      if (reply !== "missing") {
        checkReply(member.server, weights, asked, reply, this.vocabularySize);
        return reply;
      }
      member.forget(weights.name);
      if (loads === 2)
        throw new LaconicError(
          "api_unavailable",
          `${member.url}: lost ${weights.name} after loading it; if several servers share this address, list the address of each`,
          { server: member.url },
        );
      this.#options.onNote?.(`${member.url}: ${weights.name} was missing and is reloaded`);
    }
  }

  /** Waiting requests share it, so no caller's signal applies. A server that cannot load is quarantined. */
  async #load(member: Member, weights: PublishedWeights): Promise<void> {
    try {
      await member.ensure(weights);
    } catch (error) {
      if (!LaconicError.is(error) || error.code !== "api_refused") throw error;
      const isNew = member.state !== "quarantined";
      this.quarantine(member.url, error);
      if (isNew) this.#recovery.tell(member, error.message, leftOut);
      if (this.#recovery.isHopeless) throw error;
      throw new LaconicError("api_unavailable", error.message, error.detail, error);
    }
  }

  async #slot(request: SlotRequest, signal: AbortSignal | undefined): Promise<Member> {
    if (this.#recovery.isHopeless && !signal?.aborted)
      throw new LaconicError("api_unavailable", `all servers are in quarantine: ${this.#recovery.reasons}`);
    if (this.#waiting.count === 0) this.#recovery.waits();
    return this.#waiting.add(request, signal, () => this.#dispatch());
  }

  #dispatch(): void {
    const up = this.#members.filter(({ state }) => state === "up");
    if (this.#waiting.seat(up, this.#options.slack ?? 4, this.#clock.nowMs())) this.#wakeIn(loadGraceMs);
    if (up.length === this.#members.length) return;
    const next = this.#recovery.look();
    if (next !== null) this.#wakeIn(next);
  }

  /** Schedules one `#dispatch`; never after `close`. */
  #wakeIn(ms: number): void {
    if (this.#wakes || this.#closed.signal.aborted) return;
    this.#wakes = true;
    const wake = (): void => {
      this.#wakes = false;
      this.#dispatch();
    };
    this.#clock.sleep(ms, this.#closed.signal).then(wake, () => undefined);
  }
}
