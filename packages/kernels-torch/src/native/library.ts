import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { LibraryHandle } from "koffi";
import { koffi, Slots } from "./native-memory.ts";
import { LaconicError } from "@laconic/core";
import { systemOf, type System } from "@laconic/core/platform";
import { nvidiaLibraries, cudaNames } from "../find/nvidia-libraries.ts";
import type { DeviceMemory } from "@laconic/engine/kernels";
import { type NativeFunction, findShims, shimsByOperator, type LoadedShim } from "./shims.ts";
import type { TorchInstall } from "../find/torch-install.ts";

export type TorchDeviceName = "cpu" | "cuda" | "mps";

/** C declarations; `{device}` stands for `cpu`, `cuda` or `mps`. Handles and pointers are addresses. */
export const required = {
  callDispatcher: "int torch_call_dispatcher(uint64_t, uint64_t, uint64_t, uint64_t)",
  newList: "int torch_new_list_reserve_size(size_t, uint64_t)",
  pushBack: "int torch_list_push_back(uint64_t, uint64_t)",
  newHandle: "int aoti_torch_new_tensor_handle(uint64_t, uint64_t)",
  deleteHandle: "int aoti_torch_delete_tensor_object(uint64_t)",
  emptyStrided: "int aoti_torch_empty_strided(int64_t, uint64_t, uint64_t, int32_t, int32_t, int32_t, uint64_t)",
  reinterpret: "int aoti_torch__reinterpret_tensor(uint64_t, int64_t, uint64_t, uint64_t, int64_t, uint64_t)",
  dataPointer: "int aoti_torch_get_data_ptr(uint64_t, uint64_t)",
  copyInto: "int aoti_torch_copy_(uint64_t, uint64_t, int32_t)",
  setGradMode: "void aoti_torch_grad_mode_set_enabled(bool)",
  subtract: "int aoti_torch_aten_subtract_Tensor(uint64_t, uint64_t, double, uint64_t)",
  add: "int aoti_torch_{device}_add_Tensor(uint64_t, uint64_t, double, uint64_t)",
  multiplyByNumber: "int aoti_torch_{device}_mul_Scalar(uint64_t, double, uint64_t)",
  fill: "int aoti_torch_{device}_fill__Scalar(uint64_t, double)",
  mmOut: "int aoti_torch_{device}_mm_out(uint64_t, uint64_t, uint64_t)",
  addmmOut: "int aoti_torch_{device}_addmm_out(uint64_t, uint64_t, uint64_t, uint64_t, double, double)",
  baddbmmOut: "int aoti_torch_{device}_baddbmm_out(uint64_t, uint64_t, uint64_t, uint64_t, double, double)",
  scatterOut: "int aoti_torch_{device}_scatter_src_out(uint64_t, uint64_t, int64_t, uint64_t, uint64_t)",
} as const;

export const optional = {
  /** 2.13: last error on this thread. */
  errorText: "str torch_exception_get_what_without_backtrace()",
  newSlot: "int torch_new_stable_ivalue(uint64_t)",
  /** Host tensor that a GPU accesses directly. */
  emptyPinned: "int aoti_torch_empty_strided_pinned(int64_t, uint64_t, uint64_t, int32_t, int32_t, int32_t, uint64_t)",
  indexTensor: "int aoti_torch_{device}_index_Tensor(uint64_t, uint64_t, int64_t, uint64_t)",
  currentStream: "int aoti_torch_get_current_cuda_stream(int32_t, uint64_t)",
  /** Used for CPU fallbacks of MPS. */
  dimensions: "int aoti_torch_get_dim(uint64_t, uint64_t)",
  sizes: "int aoti_torch_get_sizes(uint64_t, uint64_t)",
  type: "int aoti_torch_get_dtype(uint64_t, uint64_t)",
  /** Selects a GPU for the thread while the guard exists. */
  newGuard: "int aoti_torch_create_cuda_guard(int32_t, uint64_t)",
} as const;

/** C functions in libtorch, by name. */
export interface NativeSymbols {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** @param device - `cpu`, `cuda` or `mps` */
export function nativeSymbols(device: string): NativeSymbols {
  const shims = Object.values(shimsByOperator).flatMap((forms) => forms.map(({ symbol }) => symbol));
  return {
    required: ["aoti_torch_abi_version", ...Object.values(required).map((value) => nameOf(value, device))],
    optional: [...Object.values(optional), ...shims].map((value) => nameOf(value, device)),
  };
}

function nameOf(declaration: string, device: string): string {
  return declaration.replace(/^(?:\w+ )?([\w{}]+).*/, "$1").replace("{device}", device);
}

export interface Library {
  readonly version: { readonly major: number; readonly minor: number };
  readonly abiVersion: bigint;
  /** 0 on the CPU. */
  readonly index: number;
  readonly functions: Readonly<Record<keyof typeof required, NativeFunction>>;
  readonly shims: ReadonlyMap<string, LoadedShim>;
  readonly errorText: (() => string | null) | null;
  readonly newSlot: NativeFunction | null;
  readonly emptyPinned: NativeFunction | null;
  readonly describe: Readonly<Record<"dimensions" | "sizes" | "type", NativeFunction | null>>;
  readonly indexTensor: NativeFunction | null;
  /** Null on the CPU or without the CUDA runtime. */
  readonly events: DeviceEvents | null;
  readonly malloc: NativeFunction;
  /** Null without OpenMP. */
  readonly setThreads: ((count: number) => void) | null;
  readonly threads: number;
  /** Null on the CPU or without the CUDA runtime. */
  readonly deviceMemory: (() => DeviceMemory) | null;
  readonly toNative: (address: number, source: ArrayBufferView, bytes: number) => void;
  readonly toHost: (target: ArrayBufferView, address: number, bytes: number) => void;
}

export interface LibraryOptions {
  readonly device: TorchDeviceName;
  readonly index?: number;
  /** Threads of a CPU operation. Default: the library's choice. */
  readonly threads?: number;
  readonly tf32: boolean;
  /** Fixed cuBLAS workspaces. Default false. */
  readonly deterministic?: boolean;
}

/** Older versions do not report operators that MPS lacks. */
const oldest = { cpu: [2, 10], cuda: [2, 10], mps: [2, 13] } as const;

type FindFunction = (declaration: string) => ReturnType<LibraryHandle["func"]> | null;

/**
 * Loads libtorch into this process.
 * @throws LaconicError `device_unavailable` for a missing file or symbol, or an old version
 */
export function loadLibrary(install: TorchInstall, options: LibraryOptions): Library {
  const { device, index = 0 } = options;
  const system = systemOf(process.platform);
  const libc = koffi().load(system.cLibrary);
  setEnvironment(libc, options, system);
  const find = findIn(loadTorch(install, device, system), device);
  const abi = versionOf(find, install, device);
  const functions = requiredFunctions(find, install, device, abi.version);
  const findOptional = (name: keyof typeof optional): NativeFunction | null =>
    find(optional[name]) as NativeFunction | null;
  if (index > 0) useGpu(index, findOptional("newGuard"));
  const currentStream = device === "cuda" ? findOptional("currentStream") : null;
  return {
    ...abi,
    index,
    functions,
    errorText: find(optional.errorText) as Library["errorText"],
    newSlot: findOptional("newSlot"),
    indexTensor: findOptional("indexTensor"),
    // Pinned memory needs CUDA.
    emptyPinned: device === "mps" ? null : findOptional("emptyPinned"),
    describe: { dimensions: findOptional("dimensions"), sizes: findOptional("sizes"), type: findOptional("type") },
    events: currentStream && cudaEvents(install, currentStream, index),
    shims: findShims((declaration) => find(declaration) as NativeFunction | null),
    ...threading(install),
    deviceMemory: device === "cuda" ? cudaMemory(install) : null,
    malloc: libc.func("uint64_t malloc(size_t)") as NativeFunction,
    toNative: libc.func("void *memcpy(uint64_t, const void *, size_t)") as Library["toNative"],
    toHost: libc.func("void *memcpy(void *, uint64_t, size_t)") as Library["toHost"],
  };
}

/** The libraries read these variables once at start, and a worker's process.env does not reach C. */
function setEnvironment(
  libc: LibraryHandle,
  { device, threads, tf32, deterministic = false }: LibraryOptions,
  system: System,
): void {
  const set = setterOf(libc, system);
  if (threads !== undefined) set("OMP_NUM_THREADS", String(threads), 1);
  // Spinning OpenMP threads would starve other threads.
  set("GOMP_SPINCOUNT", "20000", 0);
  // Reproducible by NVIDIA's documentation, also on several streams.
  if (device === "cuda" && deterministic) set("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1);
  // Off by default, but an inherited variable could turn it on. PyTorch's fallback does not count its calls.
  if (device === "mps") set("PYTORCH_ENABLE_MPS_FALLBACK", "0", 1);
  if (device === "cuda") set("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", tf32 ? "1" : "0", 1);
}

/** `replace` 0 keeps an existing value. */
function setterOf(libc: LibraryHandle, system: System): (name: string, value: string, replace: 0 | 1) => void {
  if (system.title !== "Windows") return libc.func("int setenv(str, str, int)") as ReturnType<typeof setterOf>;
  const put = libc.func("int _putenv_s(str, str)");
  return (name, value, replace) => {
    if (replace === 1 || process.env[name] === undefined) put(name, value);
  };
}

/** In search order. */
function loadTorch(install: TorchInstall, device: TorchDeviceName, system: System): LibraryHandle[] {
  const load = (name: string): LibraryHandle => {
    const file = join(install.libraries, system.library(name));
    try {
      return koffi().load(file, { global: true, lazy: true });
    } catch (error) {
      const reason = existsSync(file) ? (error as Error).message : "file not found";
      throw new LaconicError("device_unavailable", `cannot load ${file}: ${reason}`, { file }, error);
    }
  };
  if (device === "cuda") for (const file of nvidiaLibraries(install)) tryLoad(file);
  load("c10");
  const torch = load("torch_cpu");
  if (device !== "cuda") return [torch];
  load("c10_cuda");
  return [load("torch_cuda"), torch];
}

function findIn(libraries: readonly LibraryHandle[], device: TorchDeviceName): FindFunction {
  return (declaration) => {
    for (const library of libraries)
      try {
        return library.func(declaration.replace("{device}", device));
      } catch {
        // Try the other library.
      }
    return null;
  };
}

function versionOf(
  find: FindFunction,
  install: TorchInstall,
  device: TorchDeviceName,
): Pick<Library, "version" | "abiVersion"> {
  const abi = find("uint64_t aoti_torch_abi_version()");
  const abiVersion = abi ? BigInt(abi() as number | bigint) : 0n;
  const version = { major: Number(abiVersion >> 56n), minor: Number((abiVersion >> 48n) & 0xffn) };
  const [major, minor] = oldest[device];
  if (version.major > major || (version.major === major && version.minor >= minor)) return { version, abiVersion };
  throw new LaconicError(
    "device_unavailable",
    `PyTorch in ${install.folder} is ${install.version ?? "of an old, unknown version"}; ` +
      `version ${major}.${minor} or newer is needed for device ${device}`,
    { folder: install.folder },
  );
}

function requiredFunctions(
  find: FindFunction,
  { folder }: TorchInstall,
  device: TorchDeviceName,
  version: Library["version"],
): Library["functions"] {
  const functions: Partial<Record<keyof typeof required, NativeFunction>> = {};
  const missing: string[] = [];
  for (const [name, declaration] of Object.entries(required) as [keyof typeof required, string][]) {
    const symbol = find(declaration);
    if (symbol) functions[name] = symbol as NativeFunction;
    else missing.push(nameOf(declaration, device));
  }
  if (missing.length > 0)
    throw new LaconicError(
      "device_unavailable",
      `PyTorch ${version.major}.${version.minor} in ${folder} lacks ${missing.join(", ")}`,
      { folder },
    );
  return functions as Library["functions"];
}

/** The guard is never freed. */
function useGpu(index: number, newGuard: NativeFunction | null): void {
  const status = newGuard?.(index, new Slots(1).address);
  if (status === 0) return;
  const reason = status === undefined ? "lacks aoti_torch_create_cuda_guard" : "rejects it";
  throw new LaconicError("device_unavailable", `cannot compute on GPU ${index}: PyTorch ${reason}`, { index });
}

function threading({ libraries }: TorchInstall): Pick<Library, "setThreads" | "threads"> {
  try {
    // Linux (GNU), macOS (LLVM) and Windows (Intel).
    const name = readdirSync(libraries).find((file) => /^lib(?:gomp|omp|iomp5md)\b/u.test(file));
    const openMp = koffi().load(join(libraries, name ?? "libgomp.so.1"));
    return {
      setThreads: openMp.func("void omp_set_num_threads(int)") as (count: number) => void,
      threads: Number(openMp.func("int omp_get_max_threads()")()),
    };
  } catch {
    return { setThreads: null, threads: 1 };
  }
}

function tryLoad(file: string): void {
  try {
    koffi().load(file, { global: true, lazy: true });
  } catch {
    // A later error names it.
  }
}

export interface DeviceEvents {
  /** Marks the end of the queued work. Call `wait` once. */
  record(): { wait(): void };
}

const disableTiming = 2;

/** Null without a CUDA runtime. */
function fromCudaRuntime<T>(install: TorchInstall, open: (runtime: LibraryHandle) => T): T | null {
  for (const name of cudaNames(install))
    try {
      return open(koffi().load(name));
    } catch {
      // Try the next name.
    }
  return null;
}

/** Null without the runtime. */
function cudaMemory(install: TorchInstall): (() => DeviceMemory) | null {
  return fromCudaRuntime(install, (runtime) => {
    const query = runtime.func("int cudaMemGetInfo(_Out_ size_t*, _Out_ size_t*)");
    return () => {
      const free = [0];
      const total = [0];
      query(free, total);
      return { free: Number(free[0]), total: Number(total[0]) };
    };
  });
}

function cudaEvents(install: TorchInstall, currentStream: NativeFunction, index: number): DeviceEvents | null {
  return fromCudaRuntime(install, (runtime) => {
    const create = runtime.func("int cudaEventCreateWithFlags(uint64_t, uint32_t)") as NativeFunction;
    const mark = runtime.func("int cudaEventRecord(uint64_t, uint64_t)") as NativeFunction;
    const synchronize = runtime.func("int cudaEventSynchronize(uint64_t)") as NativeFunction;
    const slots = new Slots(1);
    /** Queried at first use: this starts the GPU. */
    let stream: number | null = null;
    const streamOfThread = (): number => {
      currentStream(index, slots.address);
      return slots.integer(0);
    };
    const spare: number[] = [];
    return {
      record() {
        stream ??= streamOfThread();
        if (spare.length === 0) {
          create(slots.addressOf(0), disableTiming);
          spare.push(slots.integer(0));
        }
        const event = spare.pop()!;
        mark(event, stream);
        return {
          wait() {
            synchronize(event);
            spare.push(event);
          },
        };
      },
    };
  });
}
