import { LaconicError } from "@laconic/core";
import { boardAt, boardBytes, line, takeParts, word, type Board } from "../../assets/parts.mjs";
import { fusedNames, type Fused, type FusedName } from "./fused.ts";

/** How the work of a call is divided: every part has units of its own, and no sum goes over two parts. */
export interface Split {
  /** Position of the argument that counts units: rows, columns, sequences, numbers. */
  readonly countAt: number;
  /** What an argument, by its position, grows by for each unit. */
  readonly steps: Readonly<Record<number, number>>;
  /** About what a unit takes, in nanoseconds. */
  readonly cost: number;
  /** Parts begin at multiples of this; 1 by default. */
  readonly multiple?: number;
  /** Units that are worth a part; `multiple` by default. */
  readonly fewest?: number;
  /** Position of the argument for working space, and the bytes that each thread has there. */
  readonly scratch?: { readonly at: number; readonly bytes: number };
}

export interface ThreadPoolOptions {
  /** Threads that compute, the calling one among them; those behind the first start with the first job. */
  readonly threads: number;
  readonly start: StartHelper;
  /** Jobs that take less, in nanoseconds, are not divided: to wake a thread costs some ten thousand. */
  readonly least?: number;
  /**
   * Milliseconds for a helper to finish its part. A part is one key/value head of a micro-batch or less, which takes a minute
   * for long sequences of a large model.
   */
  readonly patience?: number;
}

/** What a part should take: long beside taking it, short beside a job, so that nobody waits long for the last. */
const [shortest, longest] = [20_000, 500_000];
const partsEach = 8;
const looks = 20_000;
/** No part has such a number. */
const closed = 2 ** 30;

/** The memory that threads share, and what they compute with. */
export interface SharedFunctions {
  readonly fused: Fused;
  readonly module: object;
  readonly memory: { readonly buffer: ArrayBuffer | SharedArrayBuffer };
  allocate(shape: readonly number[]): number;
}

/**
 * Threads over one memory. Parts go to whoever is free, the calling thread among them, so a helper that starts late or never
 * costs speed alone. What is computed does not depend on who does it.
 */
export class ThreadPool {
  readonly threads: number;
  readonly #shared: SharedFunctions;
  readonly #functions: readonly ((...args: number[]) => number)[];
  readonly #board: Board | null;
  readonly #address: number;
  readonly #options: Required<ThreadPoolOptions>;
  #started = false;

  constructor(shared: SharedFunctions, { least = 50_000, patience = 600_000, ...options }: ThreadPoolOptions) {
    this.threads = options.threads;
    this.#shared = shared;
    this.#options = { least, patience, ...options };
    this.#functions = fusedNames.map((name) => shared.fused[name]);
    this.#address = this.threads > 1 ? shared.allocate([boardBytes / 4]) : 0;
    this.#board = this.threads > 1 ? boardAt(shared.memory.buffer as SharedArrayBuffer, this.#address) : null;
    this.#board?.words.fill(0);
  }

  get helped(): number {
    return this.#board ? Atomics.load(this.#board.words, word.helped) : 0;
  }

  /**
   * Calls a function that returns nothing, divided where that is worth it.
   * @throws LaconicError `engine_failed` when a helper fails or ends within its part
   */
  run(name: FusedName, args: readonly number[], split: Split): void {
    const { countAt, cost, multiple = 1, fewest = multiple } = split;
    const units = args[countAt] as number;
    const whole = units * cost;
    if (!this.#board || units <= fewest || whole < this.#options.least) {
      this.#shared.fused[name](...args);
      return;
    }
    const wanted = Math.min(longest, Math.max(shortest, whole / this.threads / partsEach));
    // As many for each thread, and as even as can be.
    const each = Math.max(1, Math.floor(units / this.threads / Math.max(fewest, wanted / cost)));
    const grain = multiple * Math.ceil(units / this.threads / each / multiple);
    const parts = Math.ceil(units / grain);
    if (Atomics.load(this.#board.words, word.failed) !== 0) throw threadFailed("failed");
    this.#start();
    this.#publish(this.#board, name, args, split, { units, grain, parts });
    try {
      takeParts(this.#board, this.#functions, 0);
    } finally {
      this.#untilLeft(this.#board.words);
    }
  }

  dispose(): void {
    if (!this.#board) return;
    const { words } = this.#board;
    words[word.ended] = 1;
    Atomics.add(words, word.job, 1);
    Atomics.notify(words, word.job);
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const { module, memory } = this.#shared;
    for (let thread = 1; thread < this.threads; thread++)
      this.#options.start({ module, memory, address: this.#address, names: fusedNames, thread });
  }

  /** Nobody is inside: whoever comes takes no part until `taken` begins anew, and sees the whole job then. */
  #publish(
    { words, base, steps }: Board,
    name: FusedName,
    args: readonly number[],
    { countAt, steps: given, scratch }: Split,
    { units, grain, parts }: { readonly units: number; readonly grain: number; readonly parts: number },
  ): void {
    base.set(args);
    steps.fill(0);
    for (const [at, step] of Object.entries(given)) steps[Number(at)] = step;
    words[word.function] = fusedNames.indexOf(name);
    words[word.argumentCount] = args.length;
    words[word.countAt] = countAt;
    words[word.scratchAt] = scratch?.at ?? -1;
    words[word.scratchBytes] = scratch?.bytes ?? 0;
    words[word.units] = units;
    words[word.grain] = grain;
    words[word.parts] = parts;
    words[word.threads] = this.threads;
    this.#setTaken(words, 0);
    Atomics.add(words, word.job, 1);
    Atomics.notify(words, word.job, parts - 1);
  }

  #setTaken(words: Int32Array<SharedArrayBuffer>, parts: number): void {
    for (let thread = 0; thread < this.threads; thread++) Atomics.store(words, word.taken + line * thread, parts);
  }

  /** Waits for the parts that helpers have taken. */
  #untilLeft(words: Int32Array<SharedArrayBuffer>): void {
    this.#setTaken(words, closed);
    for (let i = 0; i < looks && Atomics.load(words, word.inside) !== 0; i++);
    // In slices, since a machine may sleep: what passes then is one of them.
    const slice = Math.min(1000, this.#options.patience);
    let slices = Math.ceil(this.#options.patience / slice);
    for (let inside; (inside = Atomics.load(words, word.inside)) !== 0;) {
      if (Atomics.wait(words, word.inside, inside, slice) !== "timed-out") continue;
      slices -= 1;
      if (slices > 0) continue;
      Atomics.store(words, word.failed, 1);
      throw threadFailed(`did not finish its part in ${this.#options.patience / 1000} seconds, and is taken for dead`);
    }
    if (Atomics.load(words, word.failed) !== 0) throw threadFailed("failed");
  }
}

function threadFailed(what: string): LaconicError {
  return new LaconicError("engine_failed", `a thread of the wasm kernels ${what}; start the engine anew`);
}

/** What a helper of a kernel set is started with; structured-cloneable where threads share memory. */
export interface HelperSetup {
  readonly module: object;
  readonly memory: object;
  readonly address: number;
  /** Of functions, in the order of their numbers on the board. */
  readonly names: readonly string[];
  /** Of working space; the calling thread is 0. */
  readonly thread: number;
}

/** Starts a helper, which keeps no process alive. One that does not start takes no part, and nobody waits for it. */
type StartHelper = (setup: HelperSetup) => void;
