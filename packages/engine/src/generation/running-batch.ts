import { nextTurn } from "#platform";
import type { SampleRequest, SampleResult } from "@laconic/core";
import { type Tensor, isOutOfMemory } from "../kernels/index.ts";
import { forwardCached } from "../transformer/forward-cached.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { cachePlan } from "./cache-plan.ts";
import { admissible, enter, freeFor } from "./admission.ts";
import { CachePages, type PageWant } from "./cache-pages.ts";
import { DecodeState } from "./decode-state.ts";
import { draw, type DrawnTokens, encodeDrawn, type DrawnListener } from "./draw.ts";
import { defaultLimits, type GenerationLimits } from "./generation-limits.ts";
import { KeptPrefixes } from "./kept-prefixes.ts";
import { PrefillQueue } from "./prefill-queue.ts";
import { resultOf, roomFor, startReply, type Reply } from "./reply.ts";

interface Call {
  readonly id: number;
  readonly replies: readonly Reply[];
  readonly onDrawn: DrawnListener | undefined;
  /** Replies that have not ended. */
  left: number;
  resolve(results: SampleResult[]): void;
  reject(error: unknown): void;
}

/**
 * Replies of one set of weights, sampled together. Requests join between two steps as rows become free, their prompts in
 * parts; those that end leave at once. Each draws one uniform number per token from its own stream, so on kernels that
 * are batch invariant a reply does not depend on what else is in the batch.
 */
export class RunningBatch {
  readonly #model: ModelOnDevice;
  readonly #limits: GenerationLimits;
  readonly #pages: CachePages;
  readonly #prefill: PrefillQueue;
  readonly #kept: KeptPrefixes;
  readonly #calls = new Map<number, Call>();
  /** All of whose replies have ended. */
  readonly #complete: Call[] = [];
  readonly #callOf = new Map<Reply, Call>();
  #waiting: Reply[] = [];
  #prefilling = new Set<Reply>();
  /** Where each has a page of its own, in pages 0, 1, 2, ... */
  #decoding: Reply[] = [];
  readonly #state: DecodeState;
  /** A step whose tokens the host has not seen. */
  #pending: Promise<DrawnTokens> | null = null;
  #turns = 0;
  #running = false;
  /** Frees what is too old while nobody asks. */
  #expiry: NodeJS.Timeout | undefined;
  /** Falls when the device runs out of memory. */
  #mostTokens = Infinity;

  constructor(model: ModelOnDevice, limits: Partial<GenerationLimits> = {}) {
    this.#model = model;
    this.#limits = { ...defaultLimits, stepsAhead: model.kernels.runsAhead ? 1 : 0, ...limits };
    this.#pages = new CachePages(model.kernels, model.config, this.#limits.cache);
    this.#state = new DecodeState(model);
    this.#prefill = new PrefillQueue(model, this.#pages);
    this.#kept = new KeptPrefixes(this.#limits.keptPrefixes);
  }

  /**
   * @param requests - as `checkSampleRequests` lets them pass
   * @param id - what `cancel` calls this call; none of another that runs
   */
  sample(requests: readonly SampleRequest[], id: number, onDrawn?: DrawnListener): Promise<SampleResult[]> {
    if (requests.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const replies = requests.map((request, place) => startReply(this.#model.config, request, place));
      const call: Call = { id, replies, onDrawn, left: replies.length, resolve, reject };
      this.#calls.set(id, call);
      for (const reply of replies) this.#callOf.set(reply, call);
      this.#waiting.push(...replies);
      if (!this.#running) void this.#run();
    });
  }

  /** Ends a reply at the next step; it gives what it has. A reply that has ended stays as it is. */
  cancel(id: number, place: number): void {
    const reply = this.#calls.get(id)?.replies[place];
    if (reply) reply.finishReason ??= "aborted";
  }

  releaseKept(): void {
    clearTimeout(this.#expiry);
    for (let prefix = this.#kept.removeOldest(); prefix; prefix = this.#kept.removeOldest())
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
    for (const prefix of this.#kept.removeExcess((each) => this.#pages.bytesOf(each))) this.#pages.release(prefix);
  }

  /** An idle batch gives its memory back by itself. */
  #expireLater(): void {
    clearTimeout(this.#expiry);
    const seconds = this.#kept.secondsLeft;
    if (seconds === null) return;
    // A timer may fire a little early, and holds 31 bits of milliseconds.
    const wait = Math.min(1000 * seconds + 1, 2 ** 31 - 1);
    this.#expiry = setTimeout(() => {
      if (this.#running) return;
      this.#releaseExcess();
      if (this.#kept.count === 0) this.#pages.free();
      this.#expireLater();
    }, wait);
    this.#expiry.unref();
  }

  #answer(): void {
    if (this.#idle && this.#kept.count === 0) this.#pages.free();
    for (const { replies, resolve } of this.#complete.splice(0)) resolve(replies.map(resultOf));
  }

  #admit(): void {
    if (this.#waiting.length === 0) return;
    this.#releaseExcess();
    const active = this.#prefilling.size + this.#decoding.length;
    if (active + this.#kept.count === 0) this.#pages.free();
    const admission = admissible(this.#model.config, this.#pages, this.#kept, this.#waiting, active);
    if (!admission) return;
    const { wants, replies } = admission;
    freeFor(admission, this.#pages, this.#kept);
    if (!this.#take(wants, active === 0 && replies.length === 1)) return;
    enter(admission, this.#pages, this.#prefill);
    this.#waiting = this.#waiting.slice(replies.length);
    for (const reply of replies) {
      reply.turn = this.#turns++;
      this.#prefilling.add(reply);
    }
  }

  /** What replies that decode lack for one more position each. */
  #wants(): PageWant[] {
    const wants: PageWant[] = [];
    for (const holder of this.#decoding) {
      const positions = this.#pages.nextPositions(holder, roomFor(this.#model.config, holder.request));
      if (positions !== null) wants.push({ holder, positions });
    }
    return wants;
  }

  /** Room for one more position of each reply that decodes; who came in last gives its own up where there is none. */
  #makeRoom(): void {
    for (;;) {
      const wants = this.#wants();
      if (wants.length === 0) return;
      if (this.#take(wants, this.#decoding.length === 1)) return this.#closeGaps();
      const prefix = this.#kept.removeOldest();
      if (prefix) this.#pages.release(prefix);
      else this.#preempt();
    }
  }

  /** The reply that came in last waits again; what it held is computed anew, and its next token drawn as it would have been. */
  #preempt(): void {
    const last = this.#decoding.reduce((latest, reply) => (reply.turn > latest.turn ? reply : latest));
    this.#pages.release(last);
    this.#decoding = this.#decoding.filter((reply) => reply !== last);
    this.#waiting.unshift(last);
    this.#closeGaps();
  }

  /** Where the device has less than the caches may take, all begin anew in what it has. */
  #take(wants: readonly PageWant[], force: boolean): boolean {
    try {
      return this.#pages.take(wants, force);
    } catch (error) {
      const held = [...this.#decoding, ...this.#prefilling];
      if (!isOutOfMemory(error) || force) throw error;
      // Tokens on their way are drawn again, from the same uniform numbers.
      this.#forgetStep();
      this.#state.free();
      for (const reply of held) reply.ahead = 0;
      this.#prefill.clear();
      this.#prefilling.clear();
      this.#kept.clear();
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
    await this.#draw(ended.logits, ended.replies);
    for (const reply of ended.replies) this.#prefilling.delete(reply);
    this.#decoding.push(...ended.replies);
    this.#closeGaps();
    this.#leave(ended.replies);
  }

  /** Enqueues a step; where the device may be one ahead, the host then takes the tokens of the step before. */
  async #decodeStep(): Promise<void> {
    // Who gives its pages up has to know its tokens first.
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

  /** Null where there is nothing to decode, or no room for all rows at once. */
  #enqueueStep(going: readonly Reply[]): Promise<DrawnTokens> | null {
    if (going.length > 0 && going.length <= this.#mostTokens)
      try {
        return this.#state.step(going, this.#pages.caches, this.#pages.table(going));
      } catch (error) {
        if (!isOutOfMemory(error)) throw error;
        this.#mostTokens = Math.ceil(going.length / 2);
      }
    this.#state.free();
    return null;
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
    for (let start = 0; start < going.length;) {
      const { part, logits } = this.#inMemory(going.length - start, (rows) => {
        const next = going.slice(start, start + rows);
        return { part: next, logits: this.#forward(next) };
      });
      start += part.length;
      await this.#draw(logits, part);
    }
  }

  /** Tries with fewer rows where the device has no room for as many. */
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

  /** Feeds each reply its newest token; logits [rows, V]. */
  #forward(replies: readonly Reply[]): Tensor {
    const { kernels } = this.#model;
    const count = replies.length;
    // Loops, not Array.from: this runs once per token and a large batch would feel it.
    const [tokens, past] = [new Int32Array(count), new Int32Array(count)];
    const offsets = new Int32Array(count + 1);
    for (let i = 0; i < count; i++) {
      const reply = replies[i] as Reply;
      tokens[i] = reply.tokens[reply.tokens.length - 1] as number;
      past[i] = reply.held;
      offsets[i + 1] = i + 1;
    }
    return kernels.scope(() => {
      const plan = cachePlan(kernels, this.#pages.table(replies), past, offsets);
      return forwardCached(this.#model, tokens, this.#pages.caches, plan, offsets.subarray(0, count));
    });
  }

  async #draw(logits: Tensor, replies: readonly Reply[]): Promise<void> {
    await draw(this.#model, logits, replies);
    this.#tell(replies);
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
    for (const [listener, own] of drawn) listener(encodeDrawn(own));
  }

  /**
   * Takes those that have ended out of the batch, waiting or decoding. A prompt on its way stays until its end: others may
   * go on from its row.
   */
  #leave(replies: readonly Reply[]): void {
    const ended = new Set(replies.filter(({ finishReason }) => finishReason !== null));
    if (ended.size === 0) return;
    const stays = (reply: Reply): boolean => !ended.has(reply);
    this.#waiting = this.#waiting.filter(stays);
    this.#decoding = this.#decoding.filter(stays);
    for (const reply of ended) {
      const { conversation } = reply.request;
      if (reply.pages.length > 0) {
        if (conversation !== undefined) this.#pages.handOver(reply, this.#kept.keep(reply, conversation));
        else this.#pages.release(reply);
      }
      const call = this.#callOf.get(reply) as Call;
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
    this.#decoding.sort((a, b) => (a.pages[0] as number) - (b.pages[0] as number));
  }

  /** Ends every call: what is on the device is of no use any more. */
  #fail(error: unknown): void {
    const calls = [...this.#calls.values(), ...this.#complete.splice(0)];
    this.#calls.clear();
    this.#callOf.clear();
    this.#prefill.clear();
    this.#prefilling.clear();
    this.#kept.clear();
    [this.#waiting, this.#decoding] = [[], []];
    for (const { reject } of calls) reject(error);
    try {
      this.#state.free();
      this.#pages.free();
    } catch {
      // A device that is gone has taken its memory with it, and the calls know what happened.
    }
  }
}
