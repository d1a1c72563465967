import { LaconicError } from "@laconic/core";
import { boardAt, boardBytes, line, takeParts, word, type Board } from "../../assets/parts.mjs";
import { fusedNames, type Fused, type FusedName } from "./fused.ts";

/** Independent parts of a call. */
export interface Split {
  /** Argument that counts units. */
  readonly countAt: number;
  /** Per unit, by argument. */
  readonly steps: Readonly<Record<number, number>>;
  /** Approximate ns per unit. */
  readonly cost: number;
  /** Parts start at multiples of this. Default 1. */
  readonly multiple?: number;
  /** Min units per part. Default `multiple`. */
  readonly fewest?: number;
  /** Argument, and bytes per thread. */
  readonly scratch?: { readonly argument: number; readonly bytes: number };
}

export interface ThreadPoolOptions {
  /** Includes the calling thread. */
  readonly threads: number;
  /** Does not keep the process alive. */
  readonly start: (setup: HelperSetup) => void;
  /** Min ns of a divided job; waking a thread takes about 10,000 ns. */
  readonly least?: number;
  /** Max ms per part; long sequences take a minute for a large model. */
  readonly patience?: number;
}

/** Duration in ns: much longer than taking a part, shorter than a job. */
const [shortest, longest] = [20_000, 500_000];
const partsEach = 8;
const looks = 20_000;
/** Larger than every part number. */
const closed = 2 ** 30;

export interface SharedFunctions {
  readonly fused: Fused;
  readonly module: object;
  readonly memory: { readonly buffer: ArrayBuffer | SharedArrayBuffer };
  allocate(shape: readonly number[]): number;
}

/**
 * Free threads take parts, including the calling one, so missing helpers cost only speed. Results do not depend on
 * the distribution.
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
   * Divides the call if this saves time.
   * @throws LaconicError `engine_failed` if a helper fails
   */
  run(name: FusedName, args: readonly number[], split: Split): void {
    const { countAt, cost, multiple = 1, fewest = multiple } = split;
    const units = args[countAt]!;
    const whole = units * cost;
    if (!this.#board || units <= fewest || whole < this.#options.least) {
      this.#shared.fused[name](...args);
      return;
    }
    const partNs = Math.min(longest, Math.max(shortest, whole / this.threads / partsEach));
    // Even parts, equally many per thread.
    const value = Math.max(1, Math.floor(units / this.threads / Math.max(fewest, partNs / cost)));
    const grain = multiple * Math.ceil(units / this.threads / value / multiple);
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

  /** Late helpers skip this job until `taken` is reset. */
  #publish(
    { words, base, steps }: Board,
    name: FusedName,
    args: readonly number[],
    { countAt, steps: input, scratch }: Split,
    { units, grain, parts }: { readonly units: number; readonly grain: number; readonly parts: number },
  ): void {
    base.set(args);
    steps.fill(0);
    for (const [path, step] of Object.entries(input)) steps[Number(path)] = step;
    words[word.function] = fusedNames.indexOf(name);
    words[word.argumentCount] = args.length;
    words[word.countAt] = countAt;
    words[word.scratchAt] = scratch?.argument ?? -1;
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

  #untilLeft(words: Int32Array<SharedArrayBuffer>): void {
    this.#setTaken(words, closed);
    for (let i = 0; i < looks && Atomics.load(words, word.inside) !== 0; i++);
    // A sleep of the machine counts as one slice.
    const slice = Math.min(1000, this.#options.patience);
    let slices = Math.ceil(this.#options.patience / slice);
    for (let inside; (inside = Atomics.load(words, word.inside)) !== 0;) {
      if (Atomics.wait(words, word.inside, inside, slice) !== "timed-out") continue;
      slices -= 1;
      if (slices > 0) continue;
      Atomics.store(words, word.failed, 1);
      throw threadFailed(`did not finish within ${this.#options.patience / 1000} seconds`);
    }
    if (Atomics.load(words, word.failed) !== 0) throw threadFailed("failed");
  }
}

function threadFailed(what: string): LaconicError {
  return new LaconicError("engine_failed", `a thread of the wasm kernels ${what}; restart the engine`);
}

/** Start data of a helper; structured-cloneable. */
export interface HelperSetup {
  readonly module: object;
  readonly memory: object;
  readonly address: number;
  /** Ordered by numbers on the board. */
  readonly names: readonly string[];
  /** 0 is the calling thread. */
  readonly thread: number;
}
