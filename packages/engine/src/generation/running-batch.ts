import { nextTurn } from "#platform";
import type { SampleRequest, SampleResult } from "@laconic/core";
import type { Tensor } from "@laconic/kernels";
import { isOutOfMemory } from "@laconic/kernels";
import { forwardCached } from "../transformer/forward-cached.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { cachePlan } from "./cache-plan.ts";
import { CacheSlots } from "./cache-slots.ts";
import { draw } from "./draw.ts";
import { KeptPrefixes, unlimitedPrefixes, type KeptPrefix, type KeptPrefixLimits } from "./kept-prefixes.ts";
import { minShared, PrefillQueue } from "./prefill-queue.ts";
import { resultOf, roomFor, startReply, type Reply } from "./reply.ts";
import { encodeDrawn, type DrawnListener } from "./drawn-tokens.ts";

/** What bounds the memory of a batch. */
export interface GenerationLimits {
  /** Most cache elements (keys and values of all layers) held at once; more requests wait until others have ended. */
  readonly cacheElements: number;
  /** Most prompt tokens in one pass while nobody decodes. */
  readonly prefillTokens: number;
  /** Most prompt tokens in one pass between two decode steps, so that running replies do not wait long. */
  readonly prefillTokensBetween: number;
  /** Of what ended conversations leave behind. */
  readonly keptPrefixes: KeptPrefixLimits;
}

const defaultLimits: GenerationLimits = {
  cacheElements: 1 << 28,
  prefillTokens: 16_384,
  prefillTokensBetween: 2048,
  keptPrefixes: unlimitedPrefixes,
};

/** Requests that came together. */
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
  readonly #slots: CacheSlots;
  readonly #prefill: PrefillQueue;
  readonly #kept: KeptPrefixes;
  readonly #calls = new Map<number, Call>();
  /** All of whose replies have ended. */
  readonly #complete: Call[] = [];
  readonly #callOf = new Map<Reply, Call>();
  #waiting: Reply[] = [];
  #prefilling = new Set<Reply>();
  /** In cache rows 0, 1, 2, ... */
  #decoding: Reply[] = [];
  #running = false;
  /** Frees what is too old while nobody asks. */
  #expiry: NodeJS.Timeout | undefined;
  /** Falls when the device runs out of memory. */
  #mostTokens = Infinity;

  constructor(model: ModelOnDevice, limits: Partial<GenerationLimits> = {}) {
    this.#model = model;
    this.#limits = { ...defaultLimits, ...limits };
    this.#slots = new CacheSlots(model.kernels, model.config, this.#limits.cacheElements);
    this.#prefill = new PrefillQueue(model, this.#slots);
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

  /** Gives up the prefixes that were kept for later requests. */
  releaseKept(): void {
    clearTimeout(this.#expiry);
    for (let prefix = this.#kept.removeOldest(); prefix; prefix = this.#kept.removeOldest())
      this.#slots.release(prefix);
    if (this.#idle) this.#slots.free();
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
      this.#fail(error);
    }
    this.#running = false;
    this.#expireLater();
  }

  #releaseExcess(): void {
    for (const prefix of this.#kept.removeExcess(this.#slots.rowBytes)) this.#slots.release(prefix);
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
      if (this.#kept.count === 0) this.#slots.free();
      this.#expireLater();
    }, wait);
    this.#expiry.unref();
  }

  /** Answers the calls whose replies have all ended; by then an idle batch holds nothing on the device. */
  #answer(): void {
    if (this.#idle && this.#kept.count === 0) this.#slots.free();
    for (const { replies, resolve } of this.#complete.splice(0)) resolve(replies.map(resultOf));
  }

  /** Lets waiting requests in, in their order, as far as the caches may grow. */
  #admit(): void {
    const active = this.#prefilling.size + this.#decoding.length;
    if (this.#waiting.length === 0) return;
    this.#releaseExcess();
    if (active + this.#kept.count === 0) this.#slots.free();
    const admitted: Reply[] = [];
    let capacity = this.#slots.capacity;
    for (const reply of this.#waiting) {
      const wide = Math.max(capacity, roomFor(this.#model.config, reply.request));
      const rows = active + admitted.length + 1;
      if (!this.#slots.fits(rows, wide)) {
        if (rows > 1) break;
        // A first request gets in whatever it takes; what others left behind must not make it larger.
        this.#kept.clear();
        this.#slots.free();
        capacity = roomFor(this.#model.config, reply.request);
      } else capacity = wide;
      admitted.push(reply);
    }
    this.#waiting = this.#waiting.slice(admitted.length);
    if (admitted.length > 0) this.#place(admitted, active, capacity);
  }

  #place(admitted: readonly Reply[], active: number, capacity: number): void {
    const sources = new Map<KeptPrefix, { readonly replies: Reply[]; length: number }>();
    const fresh: Reply[] = [];
    for (const reply of admitted) {
      this.#prefilling.add(reply);
      const found = reply.request.conversation === undefined ? null : this.#kept.longest(reply.request);
      if (!found || found.length < minShared) {
        fresh.push(reply);
        continue;
      }
      const source = sources.get(found.prefix) ?? { replies: [], length: Infinity };
      source.replies.push(reply);
      source.length = Math.min(source.length, found.length);
      sources.set(found.prefix, source);
    }
    for (const prefix of sources.keys()) this.#kept.remove(prefix);
    const rowsWith = (kept: number): number => active + admitted.length + kept;
    while (this.#kept.count > 0 && !this.#slots.fits(rowsWith(this.#kept.count), capacity))
      this.#slots.release(this.#kept.removeOldest() as KeptPrefix);
    this.#slots.reserve(rowsWith(this.#kept.count), capacity);
    for (const [prefix, { replies, length }] of sources) {
      const [first, ...others] = replies as [Reply, ...Reply[]];
      for (const other of others) this.#slots.place(other);
      this.#slots.copy(prefix, others, length);
      this.#slots.handOver(prefix, first);
      this.#prefill.add(replies, length);
    }
    for (const reply of fresh) this.#slots.place(reply);
    this.#prefill.add(fresh, 0);
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

  async #decodeStep(): Promise<void> {
    const replies = this.#decoding;
    for (let start = 0; start < replies.length;) {
      const { part, logits } = this.#inMemory(replies.length - start, (rows) => {
        const next = replies.slice(start, start + rows);
        return { part: next, logits: this.#forward(next) };
      });
      start += part.length;
      await this.#draw(logits, part);
    }
    this.#leave(replies);
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
    const [tokens, past, rows] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
    const offsets = new Int32Array(count + 1);
    for (let i = 0; i < count; i++) {
      const reply = replies[i] as Reply;
      tokens[i] = reply.tokens[reply.tokens.length - 1] as number;
      past[i] = reply.held;
      rows[i] = reply.slot;
      offsets[i + 1] = i + 1;
    }
    return kernels.scope(() => {
      const plan = cachePlan(kernels, rows, past, offsets);
      return forwardCached(this.#model, tokens, this.#slots.caches, plan, offsets.subarray(0, count));
    });
  }

  async #draw(logits: Tensor, replies: readonly Reply[]): Promise<void> {
    await draw(this.#model, logits, replies);
    const drawn = new Map<DrawnListener, Reply[]>();
    for (const reply of replies) {
      if (reply.finishReason === "aborted") continue;
      const listener = this.#callOf.get(reply)?.onDrawn;
      if (!listener) continue;
      const heard = drawn.get(listener);
      if (heard) heard.push(reply);
      else drawn.set(listener, [reply]);
    }
    for (const [listener, heard] of drawn) listener(encodeDrawn(heard));
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
      if (reply.slot >= 0) {
        if (conversation !== undefined) this.#slots.handOver(reply, this.#kept.keep(reply, conversation));
        else this.#slots.release(reply);
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
    this.#slots.gather(this.#decoding);
    this.#decoding.sort((a, b) => a.slot - b.slot);
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
      this.#slots.free();
    } catch {
      // A device that is gone has taken its memory with it, and the calls know what happened.
    }
  }
}
