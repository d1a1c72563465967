import { nextTurn } from "#platform";
import type { SampleRequest, SampleResult } from "@laconic/core";
import { isOutOfMemory } from "../kernels/index.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { admissible, enter, freeFor } from "./admission.ts";
import { freeShare, type CacheLimit } from "./cache-bytes.ts";
import { CachePages, type PageWant } from "./cache-pages.ts";
import { DecodeState } from "./decode-state.ts";
import { draw, type DrawnTokens, encodeDrawn, type DrawnListener } from "./draw.ts";
import { KeptPrefixes, unlimited, type KeptPrefixLimits } from "./kept-prefixes.ts";
import { PrefillQueue } from "./prefill-queue.ts";
import { resultOf, roomFor, startReply, type Reply } from "./reply.ts";

export interface GenerationLimits {
  readonly cache: CacheLimit;
  /** Max prompt tokens per pass while no reply decodes. */
  readonly prefillTokens: number;
  /** Max prompt tokens between decode steps, to limit delays. */
  readonly prefillTokensBetween: number;
  readonly keptPrefixes: KeptPrefixLimits;
  /** If 1, steps are enqueued before the last is read, and tokens after an end are dropped. Replies do not change. */
  readonly stepsAhead: 0 | 1;
}

const defaultLimits: GenerationLimits = {
  cache: { share: freeShare },
  prefillTokens: 16_384,
  prefillTokensBetween: 2048,
  keptPrefixes: unlimited,
  stepsAhead: 0,
};

interface Call {
  readonly id: number;
  readonly replies: readonly Reply[];
  readonly onDrawn: DrawnListener | undefined;
  left: number;
  resolve(results: SampleResult[]): void;
  reject(error: unknown): void;
}

/**
 * Continuous batch of replies with the same weights, with chunked prefill. Requests join and leave between steps.
 * Each token uses one uniform number of the reply's stream. So a reply does not depend on the batch if the kernels do
 * not.
 */
export class RunningBatch {
  readonly #model: ModelOnDevice;
  readonly #limits: GenerationLimits;
  readonly #pages: CachePages;
  readonly #prefill: PrefillQueue;
  readonly #prefixes: KeptPrefixes;
  readonly #calls = new Map<number, Call>();
  readonly #complete: Call[] = [];
  readonly #callOf = new Map<Reply, Call>();
  #waiting: Reply[] = [];
  #prefilling = new Set<Reply>();
  /** Without paging, in pages 0, 1, 2, ... */
  #decoding: Reply[] = [];
  readonly #state: DecodeState;
  #pending: Promise<DrawnTokens> | null = null;
  #turns = 0;
  #running = false;
  #expiry: NodeJS.Timeout | undefined;
  /** Reduced after running out of memory. */
  #mostTokens = Infinity;

  constructor(model: ModelOnDevice, limits: Partial<GenerationLimits> = {}) {
    this.#model = model;
    this.#limits = { ...defaultLimits, stepsAhead: model.kernels.runsAhead ? 1 : 0, ...limits };
    this.#pages = new CachePages(model.kernels, model.config, this.#limits.cache);
    this.#state = new DecodeState(model);
    this.#prefill = new PrefillQueue(model, this.#pages);
    this.#prefixes = new KeptPrefixes(this.#limits.keptPrefixes);
  }

  /** @param requests - checked by `checkSampleRequests` @param id - unique, for `cancel` */
  sample(requests: readonly SampleRequest[], id: number, onDrawn?: DrawnListener): Promise<SampleResult[]> {
    if (requests.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const replies = requests.map((request, index) => startReply(this.#model.config, request, index));
      const call: Call = { id, replies, onDrawn, left: replies.length, resolve, reject };
      this.#calls.set(id, call);
      for (const reply of replies) this.#callOf.set(reply, call);
      this.#waiting.push(...replies);
      if (!this.#running) void this.#run();
    });
  }

  cancel(id: number, index: number): void {
    const reply = this.#calls.get(id)?.replies[index];
    if (reply) reply.finishReason ??= "aborted";
  }

  releaseKept(): void {
    clearTimeout(this.#expiry);
    for (let prefix = this.#prefixes.removeOldest(); prefix; prefix = this.#prefixes.removeOldest())
      this.#pages.release(prefix);
    if (this.#idle) this.#pages.free();
  }

  get #idle(): boolean {
    return this.#waiting.length + this.#prefilling.size + this.#decoding.length === 0;
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      do {
        await nextTurn();
        this.#leave([...this.#waiting, ...this.#decoding]);
        this.#admit();
        await this.#prefillPass();
        await this.#decodeStep();
        this.#answer();
      } while (!this.#idle);
    } catch (error) {
      this.#forgetStep();
      this.#fail(error);
    }
    this.#running = false;
    this.#expireLater();
  }

  #releaseExcess(): void {
    for (const prefix of this.#prefixes.removeExcess((item) => this.#pages.bytesOf(item))) this.#pages.release(prefix);
  }

  #expireLater(): void {
    clearTimeout(this.#expiry);
    const seconds = this.#prefixes.secondsLeft;
    if (seconds === null) return;
    // Timers may fire early and have 31 bits.
    const wait = Math.min(1000 * seconds + 1, 2 ** 31 - 1);
    this.#expiry = setTimeout(() => {
      if (this.#running) return;
      this.#releaseExcess();
      if (this.#prefixes.count === 0) this.#pages.free();
      this.#expireLater();
    }, wait);
    this.#expiry.unref();
  }

  #answer(): void {
    if (this.#idle && this.#prefixes.count === 0) this.#pages.free();
    for (const { replies, resolve } of this.#complete.splice(0)) resolve(replies.map(resultOf));
  }

  #admit(): void {
    if (this.#waiting.length === 0) return;
    this.#releaseExcess();
    const active = this.#prefilling.size + this.#decoding.length;
    if (active + this.#prefixes.count === 0) this.#pages.free();
    const admission = admissible(this.#model.config, this.#pages, this.#prefixes, this.#waiting, active);
    if (!admission) return;
    const { wants, replies } = admission;
    freeFor(admission, this.#pages, this.#prefixes);
    if (!this.#take(wants, active === 0 && replies.length === 1)) return;
    enter(admission, this.#pages, this.#prefill);
    this.#waiting = this.#waiting.slice(replies.length);
    for (const reply of replies) {
      reply.turn = this.#turns++;
      this.#prefilling.add(reply);
    }
  }

  #wants(): PageWant[] {
    const wants: PageWant[] = [];
    for (const holder of this.#decoding) {
      const positions = this.#pages.nextPositions(holder, roomFor(this.#model.config, holder.request));
      if (positions !== null) wants.push({ holder, positions });
    }
    return wants;
  }

  #makeRoom(): void {
    for (;;) {
      const wants = this.#wants();
      if (wants.length === 0) return;
      if (this.#take(wants, this.#decoding.length === 1)) return this.#closeGaps();
      const prefix = this.#prefixes.removeOldest();
      if (prefix) this.#pages.release(prefix);
      else this.#preempt();
    }
  }

  /** The newest reply waits again, with the same next draw. */
  #preempt(): void {
    const last = this.#decoding.reduce((latest, reply) => (reply.turn > latest.turn ? reply : latest));
    this.#pages.release(last);
    this.#decoding = this.#decoding.filter((reply) => reply !== last);
    this.#waiting.unshift(last);
    this.#closeGaps();
  }

  /** If the device has less memory, all replies restart with smaller caches. */
  #take(wants: readonly PageWant[], force: boolean): boolean {
    try {
      return this.#pages.take(wants, force);
    } catch (error) {
      const held = [...this.#decoding, ...this.#prefilling];
      if (!isOutOfMemory(error) || force) throw error;
      // Unread tokens are drawn again.
      this.#forgetStep();
      this.#state.free();
      for (const reply of held) reply.ahead = 0;
      this.#prefill.clear();
      this.#prefilling.clear();
      this.#prefixes.clear();
      this.#decoding = [];
      this.#waiting.unshift(...held.toSorted((a, b) => a.turn - b.turn));
      return false;
    }
  }

  async #prefillPass(): Promise<void> {
    if (this.#prefill.empty) return;
    const { prefillTokens, prefillTokensBetween } = this.#limits;
    const most = this.#decoding.length === 0 ? prefillTokens : Math.min(prefillTokens, prefillTokensBetween);
    const ended = this.#inMemory(most, (tokens) => this.#prefill.pass(tokens));
    if (!ended) return;
    await draw(this.#model, ended.logits, ended.replies);
    this.#tell(ended.replies);
    for (const reply of ended.replies) this.#prefilling.delete(reply);
    this.#decoding.push(...ended.replies);
    this.#closeGaps();
    this.#leave(ended.replies);
  }

  /** Reads the previous step if the device may be ahead. */
  async #decodeStep(): Promise<void> {
    // Preemption needs the latest tokens.
    if (this.#pending && !this.#pages.fits(this.#wants())) {
      await this.#finish(this.#pending);
      this.#leave(this.#decoding);
    }
    this.#makeRoom();
    const going = this.#decoding.filter(({ tokens, ahead, maxTokens }) => tokens.length + ahead < maxTokens);
    const next = this.#enqueueStep(going);
    if (this.#pending) await this.#finish(this.#pending);
    this.#pending = next;
    if (next === null && going.length > 0) await this.#decodeInParts(this.#decoding);
    else if (next && this.#limits.stepsAhead === 0) await this.#finish(next);
    this.#leave(this.#decoding);
    if (this.#decoding.length > 0) return;
    if (this.#pending) await this.#finish(this.#pending);
    this.#state.free();
  }

  /** Null without replies, or if they do not fit. */
  #enqueueStep(going: readonly Reply[]): Promise<DrawnTokens> | null {
    if (going.length > 0 && going.length <= this.#mostTokens)
      try {
        return this.#step(going);
      } catch (error) {
        if (!isOutOfMemory(error)) throw error;
        this.#mostTokens = Math.ceil(going.length / 2);
      }
    this.#state.free();
    return null;
  }

  /** A failed step leaves nothing on the device. */
  #step(replies: readonly Reply[]): Promise<DrawnTokens> {
    try {
      return this.#state.step(replies, this.#pages.caches, this.#pages.table(replies));
    } catch (error) {
      this.#state.free();
      throw error;
    }
  }

  async #finish(step: Promise<DrawnTokens>): Promise<void> {
    this.#pending = null;
    const drawn = await step;
    this.#state.take(drawn);
    this.#tell(drawn.replies);
  }

  #forgetStep(): void {
    this.#pending?.catch(() => undefined);
    this.#pending = null;
  }

  async #decodeInParts(replies: readonly Reply[]): Promise<void> {
    const going = replies.filter(({ finishReason }) => finishReason === null);
    while (going.length > 0) {
      const step = this.#inMemory(going.length, (rows) => ({ rows, drawn: this.#step(going.slice(0, rows)) }));
      going.splice(0, step.rows);
      await this.#finish(step.drawn);
    }
  }

  #inMemory<T>(rows: number, attempt: (rows: number) => T): T {
    for (let count = Math.min(rows, this.#mostTokens); ; count = Math.ceil(count / 2)) {
      try {
        return attempt(count);
      } catch (error) {
        if (!isOutOfMemory(error) || count <= 1) throw error;
        this.#mostTokens = Math.ceil(count / 2);
      }
    }
  }

  #tell(replies: readonly Reply[]): void {
    if (![...this.#calls.values()].some(({ onDrawn }) => onDrawn)) return;
    const drawn = new Map<DrawnListener, Reply[]>();
    for (const reply of replies) {
      if (reply.finishReason === "aborted") continue;
      const listener = this.#callOf.get(reply)?.onDrawn;
      if (!listener) continue;
      const received = drawn.get(listener);
      if (received) received.push(reply);
      else drawn.set(listener, [reply]);
    }
    for (const [listener, drawnReplies] of drawn) listener(encodeDrawn(drawnReplies));
  }

  /** A prompt in prefill stays, because others may share its row. */
  #leave(replies: readonly Reply[]): void {
    const ended = new Set(replies.filter(({ finishReason }) => finishReason !== null));
    if (ended.size === 0) return;
    const stays = (reply: Reply): boolean => !ended.has(reply);
    this.#waiting = this.#waiting.filter(stays);
    this.#decoding = this.#decoding.filter(stays);
    for (const reply of ended) {
      const { conversation } = reply.request;
      if (reply.pages.length > 0) {
        if (conversation !== undefined) this.#pages.handOver(reply, this.#prefixes.keep(reply, conversation));
        else this.#pages.release(reply);
      }
      const call = this.#callOf.get(reply)!;
      this.#callOf.delete(reply);
      call.left -= 1;
      if (call.left > 0) continue;
      this.#calls.delete(call.id);
      this.#complete.push(call);
    }
    this.#releaseExcess();
    this.#closeGaps();
  }

  #closeGaps(): void {
    if (this.#pages.paged) return;
    this.#pages.gather(this.#decoding);
    this.#decoding.sort((a, b) => a.pages[0]! - b.pages[0]!);
  }

  /** The device state is lost. */
  #fail(error: unknown): void {
    const calls = [...this.#calls.values(), ...this.#complete.splice(0)];
    this.#calls.clear();
    this.#callOf.clear();
    this.#prefill.clear();
    this.#prefilling.clear();
    this.#prefixes.clear();
    [this.#waiting, this.#decoding] = [[], []];
    for (const { reject } of calls) reject(error);
    try {
      this.#state.free();
      this.#pages.free();
    } catch {
      // A lost device has released its memory.
    }
  }
}
