import { koffi } from "../native/native-memory.ts";
import { systemOf } from "@laconic/core/platform";
import type { Kernels } from "@laconic/engine/kernels";
import type { Library } from "../native/library.ts";
import { type NativeFunction, resultsOf, shimsByOperator, type LoadedShim } from "../native/shims.ts";
import { Torch } from "../native/torch.ts";
import { torchKernelSet } from "../torch-kernels.ts";

/** Options of {@link standInKernels}. */
export interface StandInOptions {
  /** Simulated device. Default `cuda`. Needs no GPU. */
  readonly device?: "cpu" | "cuda";
  /** Default `bfloat16`. */
  readonly dtype?: "float32" | "bfloat16";
  /** PyTorch's fused attention (default), or plain products. */
  readonly attention?: "fused" | "math";
  /** Default `pages` on CUDA, `plain` on the CPU. */
  readonly caching?: "plain" | "slots" | "pages";
}

/** Kernel set that computes nothing. */
export interface StandIn {
  /** Makes the same calls as the real set; reads return zeros. */
  readonly kernels: Kernels;
  readonly calls: ReadonlyMap<string, number>;
}

/**
 * libtorch kernels on a fake library that only returns handles. `kernels.counters()` counts a step's calls, copies and
 * bytes without PyTorch or a GPU.
 */
export function standInKernels(options: StandInOptions = {}): StandIn {
  const { device = "cuda", dtype = "bfloat16", attention = "fused" } = options;
  const { caching = device === "cuda" ? "pages" : "plain" } = options;
  const calls = new Map<string, number>();
  const count = (name: string): unknown => calls.set(name, (calls.get(name) ?? 0) + 1);
  return { kernels: torchKernelSet(standInTorch(device, count), dtype, { attention, caching }), calls };
}

/** @param count - called with each C function's name */
export function standInTorch(device: "cpu" | "cuda", count: (name: string) => void = () => {}): Torch {
  return new Torch(standInLibrary(device, count), device);
}

/** Operators missing on the device, by parts of their names. */
const otherDevices = { cpu: ["_flash_attention_forward"], cuda: ["for_cpu", "mkldnn::"] } as const;

const maxResults = 5;

function standInLibrary(device: "cpu" | "cuda", count: (name: string) => void): Library {
  const libc = koffi().load(systemOf(process.platform).cLibrary);
  const copy = libc.func("void *memcpy(uint64_t, const void *, size_t)") as (
    address: number,
    source: ArrayBufferView,
    bytes: number,
  ) => void;
  const word = new BigUint64Array(1);
  // Zero is not a handle.
  let next = 1n;
  const give = (address: number): void => {
    word[0] = next++;
    copy(address, word, 8);
  };
  /** Writes `results` new handles to the address in argument `at`; negative indices count from the end. */
  const native =
    (name: string, index?: number, results = 1): NativeFunction =>
    (...args) => {
      count(name);
      if (index === undefined) return 0;
      const address = Number(args.at(index));
      for (let i = 0; i < results; i++) give(address + 8 * i);
      return 0;
    };
  const shims = new Map<string, LoadedShim>();
  for (const [name, [form]] of Object.entries(shimsByOperator)) {
    if (!form || otherDevices[device].some((part) => name.includes(part))) continue;
    const results = resultsOf(name);
    shims.set(name, { takes: form.takes, call: native(form.symbol.replace("{device}", device), -results, results) });
  }
  return {
    version: { major: 2, minor: 14 },
    abiVersion: 2n << 56n,
    index: 0,
    describe: { dimensions: null, sizes: null, type: null },
    shims,
    functions: {
      callDispatcher: native("dispatcher", 2, maxResults),
      newList: native("new list", 1),
      pushBack: native("push to list"),
      newHandle: native("duplicate", 1),
      deleteHandle: native("delete"),
      emptyStrided: native("empty", 6),
      reinterpret: native("view", 5),
      dataPointer: native("data pointer", 1),
      copyInto: native("copy"),
      setGradMode: native("grad mode"),
      subtract: native("subtract", -1),
      add: native("add", -1),
      multiplyByNumber: native("multiply by number", -1),
      fill: native("fill"),
      mmOut: native("mm"),
      addmmOut: native("addmm"),
      baddbmmOut: native("baddbmm"),
      scatterOut: native("scatter"),
    },
    errorText: () => "the stand-in library computes nothing",
    newSlot: native("new slot", 0),
    indexTensor: native("index", -1),
    emptyPinned: native("empty pinned", 6),
    events: device === "cuda" ? { record: () => ({ wait: () => undefined }) } : null,
    malloc: native("malloc"),
    setThreads: null,
    threads: 1,
    deviceMemory: null,
    toNative: () => undefined,
    toHost: () => undefined,
  };
}
