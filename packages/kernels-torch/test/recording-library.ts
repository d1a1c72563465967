import { systemOf } from "@laconic/core/platform";
import koffi from "koffi";
import { LaconicError } from "@laconic/core";
import type { Precision } from "@laconic/engine/kernels";
import type { Library } from "../src/native/library.ts";
import type { NativeFunction } from "../src/native/shims.ts";
import { Torch } from "../src/native/torch.ts";
import type { Argument, Handle, Handles, Operator, ResultCount } from "../src/native/torch.ts";
import { TensorStore } from "../src/tensors.ts";

/** Calls of libtorch in order: a kind, then its facts. Read by `python/replay_on_fake_cuda.py`. */
export type Event = readonly [kind: string, ...facts: unknown[]];

const libc = koffi.load(systemOf(process.platform).cLibrary);
const writeWord = libc.func("void *memcpy(uint64_t, const void *, size_t)");

/** Fake GPU libtorch that computes nothing, returns numbers as handles and records calls. Reads return zeros. */
function recordingLibrary(record: (event: Event) => void): Library {
  let next = 2 ** 20;
  const word = new BigUint64Array(1);
  const give = (address: number): number => {
    next += 1;
    word[0] = BigInt(next);
    writeWord(address, word, 8);
    return next;
  };
  /** Handle of memory at a returned address. */
  const memory = new Map<number, Handle>();
  const numbers = (address: number, count: number): number[] =>
    count === 0 ? [] : Array.from(new BigInt64Array(koffi.view(BigInt(address), 8 * count)), Number);
  const silent = (): number => 0;
  const functions: Record<string, (...args: readonly number[]) => number> = {
    callDispatcher: (_name, _overload, slots) => {
      for (let i = 0; i < 5; i++) give(slots + 8 * i);
      return 0;
    },
    newList: (_size, out) => (give(out), 0),
    newHandle: (_of, out) => (give(out), 0),
    pushBack: silent,
    setGradMode: silent,
    deleteHandle: (handle) => (record(["delete", handle]), 0),
    emptyStrided: (rank, sizes, strides, type, device, index, out) => {
      const [shape, steps] = [numbers(sizes, rank), numbers(strides, rank)];
      record(["empty", give(out), shape, steps, type, device === 0 ? "cpu" : `cuda:${index}`]);
      return 0;
    },
    reinterpret: (of, rank, sizes, strides, offset, out) => {
      const [shape, steps] = [numbers(sizes, rank), numbers(strides, rank)];
      record(["view", give(out), of, shape, steps, offset]);
      return 0;
    },
    dataPointer: (handle, out) => (memory.set(give(out), handle), 0),
    copyInto: (into, from) => (record(["copy", into, from]), 0),
    add: (a, b, factor, out) => (record(["shim", "add", give(out), a, b, factor]), 0),
    subtract: (a, b, factor, out) => (record(["shim", "subtract", give(out), a, b, factor]), 0),
    multiplyByNumber: (x, factor, out) => (record(["shim", "multiplyByNumber", give(out), x, factor]), 0),
    fill: (x, value) => (record(["shim", "fill", null, x, String(value)]), 0),
    mmOut: (...args) => (record(["shim", "mmOut", null, ...args]), 0),
    addmmOut: (...args) => (record(["shim", "addmmOut", null, ...args]), 0),
    bmmOut: (...args) => (record(["shim", "bmmOut", null, ...args]), 0),
    baddbmmOut: (...args) => (record(["shim", "baddbmmOut", null, ...args]), 0),
    scatterOut: (...args) => (record(["shim", "scatterOut", null, ...args]), 0),
  };
  const crossing = (kind: "write" | "read", address: number, bytes: number): void => {
    const handle = memory.get(address);
    if (handle !== undefined) record([kind, handle, bytes]);
  };
  return {
    version: { major: 2, minor: 14 },
    abiVersion: 0n,
    index: 0,
    functions: strict(functions) as unknown as Library["functions"],
    // Records operators before they take different paths.
    shims: new Map(),
    describe: { dimensions: null, sizes: null, type: null },
    emptyPinned: functions["emptyStrided"] as NativeFunction,
    indexTensor: null,
    events: null,
    errorText: null,
    newSlot: (out) => (give(Number(out)), 0),
    malloc: silent,
    setThreads: null,
    threads: 1,
    deviceMemory: null,
    toNative: (address, _source, bytes) => crossing("write", address, bytes),
    toHost: (_target, address, bytes) => crossing("read", address, bytes),
  };
}

/** Names functions that this stand-in lacks. */
function strict<T extends object>(functions: T): T {
  return new Proxy(functions, {
    get(target, name) {
      const match: unknown = Reflect.get(target, name);
      if (match === undefined) throw new LaconicError("engine_failed", `the stand-in lacks ${String(name)}`);
      return match;
    },
  });
}

export class RecordingTorch extends Torch {
  readonly #record: (event: Event) => void;

  constructor(record: (event: Event) => void) {
    super(recordingLibrary(record), "cuda");
    this.#record = record;
  }

  override call(op: Operator, ...args: readonly Argument[]): Handle {
    const result = super.call(op, ...args);
    this.#record(["call", op.name, args, [result]]);
    return result;
  }

  override callMany<Count extends ResultCount>(op: Operator<Count>, ...args: readonly Argument[]): Handles<Count> {
    const results = super.callMany(op, ...args);
    this.#record(["call", op.name, args, results]);
    return results;
  }
}

/**
 * Records the shape and type that kernels expect of results while `body` runs.
 * @param working - type of values in the working precision
 */
export async function recordingClaims(
  record: (event: Event) => void,
  working: "float32" | "bfloat16",
  body: () => Promise<void>,
): Promise<void> {
  const { adoptFloats, adoptInts, adoptColumns } = TensorStore.prototype;
  /** Elements between rows of a column range. */
  let stride: number | null = null;
  TensorStore.prototype.adoptFloats = function (handle: Handle, shape: readonly number[], precision?: Precision) {
    record(["claim", handle, shape, precision === "full" ? "float32" : working, stride]);
    return adoptFloats.call(this, handle, shape, precision);
  };
  TensorStore.prototype.adoptInts = function (handle, shape, range) {
    record(["claim", handle, shape, "int32", null]);
    return adoptInts.call(this, handle, shape, range);
  };
  TensorStore.prototype.adoptColumns = function (handle, shape, location, ...rest) {
    ({ stride } = location);
    try {
      return adoptColumns.call(this, handle, shape, location, ...rest);
    } finally {
      stride = null;
    }
  };
  try {
    await body();
  } finally {
    Object.assign(TensorStore.prototype, { adoptFloats, adoptInts, adoptColumns });
  }
}
