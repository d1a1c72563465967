import { configError, LaconicError, present } from "@laconic/core";
import { formatNumber } from "@laconic/core/text";
import type { CreateKernels, KernelSource, Kernels, Tensor } from "@laconic/engine/kernels";
import { findTorch } from "./find/torch-install.ts";
import { checkCudaDriver } from "./native/cuda-driver.ts";
import { loadLibrary, type TorchDeviceName } from "./native/library.ts";
import { Torch } from "./native/torch.ts";
import { flashPageSize, type FlashCacheKind } from "./kernels/flash-cache.ts";
import { torchKernelSet, type KernelChoices } from "./torch-kernels.ts";
import { release } from "node:os";
import { tileLimit } from "./kernels/head.ts";
import { minPacked, maxPacked } from "./packed-weights.ts";

/**
 * Entry point for an engine's worker. Default device `cpu`.
 * @throws LaconicError `device_unavailable` with the missing part, `config_invalid`
 */
export const createKernels: CreateKernels = async (options = {}) => {
  const {
    device = "cpu",
    dtype = "float32",
    threads,
    tf32 = false,
    index = 0,
    deterministic = false,
    torch,
    ...unknown
  } = options;
  const [surplus] = Object.keys(unknown);
  if (surplus !== undefined) throw configError(`kernels-torch: unknown option ${surplus}`);
  if (device !== "cpu" && device !== "cuda" && device !== "mps")
    throw configError(`device: expected cpu, cuda or mps, got ${device}`);
  if (dtype !== "float32" && dtype !== "bfloat16")
    throw configError(`dtype: expected float32 or bfloat16, got ${dtype}`);
  if (threads !== undefined && !(typeof threads === "number" && Number.isInteger(threads) && threads > 0))
    throw configError(`threads: expected a positive integer, got ${threads}`);
  if (typeof tf32 !== "boolean") throw configError(`tf32: expected true or false, got ${JSON.stringify(tf32)}`);
  if (typeof deterministic !== "boolean")
    throw configError(`deterministic: expected true or false, got ${JSON.stringify(deterministic)}`);
  if (!(typeof index === "number" && Number.isInteger(index) && index >= 0))
    throw configError(`index: expected an integer from 0, got ${index}`);
  if (index > 0 && device !== "cuda") throw configError(`index has no effect: device ${device} has no GPUs; remove it`);
  const refusal = device === "mps" ? mpsRefusal(dtype) : null;
  if (refusal !== null) throw new LaconicError("device_unavailable", refusal, { device });
  const install = findTorch(torch === undefined ? process.env : { LACONIC_TORCH: String(torch) });
  if (device === "cuda" && !install.cuda)
    throw new LaconicError(
      "device_unavailable",
      `PyTorch ${install.version ?? ""} in ${install.folder} was built without CUDA; install a CUDA build`,
      { folder: install.folder },
    );
  if (device === "cuda") checkCudaDriver(index);
  const library = loadLibrary(install, {
    device,
    index,
    tf32,
    deterministic,
    ...present({ threads }),
  });
  return chooseKernels(new Torch(library, device), dtype, deterministic);
};

/** Options of {@link createKernels}. */
export interface TorchOptions {
  /** `mps` is Metal on Apple silicon, untested on hardware. */
  readonly device: TorchDeviceName;
  /** Default float32. bfloat16 on MPS needs macOS 14. */
  readonly dtype?: "float32" | "bfloat16";
  /** Threads of a CPU operation. Default: all cores. */
  readonly threads?: number;
  /** Number of the GPU in CUDA. Default 0. */
  readonly index?: number;
  /** TF32 products of float32 matrices on CUDA: 10 fraction bits, faster. Default false. */
  readonly tf32?: boolean;
  /**
   * Bitwise reproducible for the same card and library; slower attention gradients on CUDA. The CPU is always
   * deterministic. Default false.
   */
  readonly deterministic?: boolean;
  /** Folder of the torch package. Default: searched for. */
  readonly torch?: string;
}

/** Kernel source for an engine. */
export function torchKernels(options: TorchOptions): KernelSource {
  return { device: options.device, module: import.meta.url, options: { ...options } };
}

/**
 * Uses PyTorch's fused kernels only if they agree with plain products on a small case, because limits differ between
 * versions and cards.
 */
export async function chooseKernels(
  torch: Torch,
  dtype: "float32" | "bfloat16",
  deterministic = false,
): Promise<Kernels> {
  const untested = untestedVersion(torch);
  if (torch.device === "cpu")
    return torchKernelSet(torch, dtype, { attention: "fused", normBackward: "composed", notes: untested });
  let choices: KernelChoices = { attention: "math", normBackward: "composed" };
  const safe = torchKernelSet(torch, dtype, choices);
  // No fused kernels exist for MPS.
  if (torch.device === "mps") return safe;
  const declined: string[] = [];
  const take = async (change: Partial<KernelChoices>, sample: Sample): Promise<boolean> => {
    const lack = await disagreement(safe, torchKernelSet(torch, dtype, { ...choices, ...change }), sample);
    if (lack === null) choices = { ...choices, ...change };
    else declined.push(`no ${Object.entries(change).flat().join(" ")} (${lack})`);
    return lack === null;
  };
  await take({ normBackward: "fused" }, normSample);
  // CUDA's flash attention has no float32.
  if (dtype === "bfloat16" && (await take({ attention: "fused" }, attentionSample)))
    for (const caching of cacheKinds(torch))
      if (await take({ caching }, (kernels) => cacheSample(kernels, caching === "pages"))) break;
  const notes = [...untested, ...declined];
  return torchKernelSet(torch, dtype, { ...choices, notes, ...(deterministic && { deterministic }) });
}

/** Newest version whose operators were checked against its wheels. */
const newest = { major: 2, minor: 14 } as const;

function untestedVersion({ library: { version } }: Torch): string[] {
  const isNewer = version.major > newest.major || (version.major === newest.major && version.minor > newest.minor);
  return isNewer ? [`newer than the tested ${newest.major}.${newest.minor}`] : [];
}

/** Best first. PyTorch reads pages only from 2.13. */
function cacheKinds({ library: { version } }: Torch): readonly FlashCacheKind[] {
  return version.major > 2 || version.minor >= 13 ? ["pages", "slots"] : ["slots"];
}

async function normSample(kernels: Kernels): Promise<Values[]> {
  const [rows, width] = [300, 64];
  const { dX, dWeight } = kernels.scope(() => {
    const weight = kernels.upload(
      Float32Array.from({ length: width }, (_, i) => 1 + Math.cos(i)),
      [width],
    );
    const x = wave(kernels, rows, width, 0);
    return kernels.rmsNormBackward(wave(kernels, rows, width, 1), x, weight, kernels.rmsNorm(x, weight, 1e-6).invRms);
  });
  return readAll(kernels, [dX, dWeight]);
}

type Sample = (kernels: Kernels) => Promise<Values[]>;

type Values = Awaited<ReturnType<Kernels["read"]>>;

/** Relative to a result's largest number; ten times bfloat16 rounding. */
const tolerance = 0.05;

/** Null if both sets agree. */
async function disagreement(plain: Kernels, set: Kernels, sample: Sample): Promise<string | null> {
  try {
    const [expected, actual] = [await sample(plain), await sample(set)];
    for (const [i, values] of expected.entries()) {
      const largest = Array.from(values, Math.abs).reduce((most, value) => Math.max(most, value), 0);
      const errors = Array.from(values, (value, j) => Math.abs(value - (actual[i]?.[j] as number)));
      // Comparisons with NaN are false.
      const wrong = errors.find((error) => !(error <= tolerance * largest));
      if (wrong !== undefined) return `off by ${formatNumber(wrong)} of ${formatNumber(largest)}`;
    }
    return null;
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    return error.message;
  }
}

/**
 * Two unequal prompts longer than a page, then three decode steps, with grouped heads. NaN in memory detects
 * unwritten rows.
 */
async function cacheSample(kernels: Kernels, paged: boolean): Promise<Values[]> {
  const shape = { queryHeads: 4, kvHeads: 2, headDim: 64, scale: 0.125 };
  const lengths = [700, 300];
  const size = paged ? { pages: 8, pageSize: flashPageSize } : { pages: 3, pageSize: 768 };
  const table = paged ? Int32Array.of(6, 1, 4, 3, 0, 0) : Int32Array.of(2, 0);
  const cache = kernels.createCache({ ...size, kvHeads: shape.kvHeads, headDim: shape.headDim });
  const call = (counts: readonly number[], past: Int32Array, phase: number): Tensor => {
    const offsets = Int32Array.of(0, counts[0]!, counts[0]! + counts[1]!);
    const rows = offsets[2]!;
    const plan = {
      layout: { offsets, offsetsOnDevice: kernels.upload(offsets, [3]), longest: Math.max(...counts) },
      table,
      tableOnDevice: kernels.upload(table, [2, table.length / 2]),
      past,
      pastOnDevice: kernels.upload(past, [2]),
    };
    const [q, k, v] = [
      wave(kernels, rows, 256, phase),
      wave(kernels, rows, 128, phase + 1),
      wave(kernels, rows, 128, phase + 2),
    ] as const;
    kernels.free(kernels.upload(new Float32Array(rows * 256).fill(NaN), [rows, 256]));
    return kernels.attentionCached(q, k, v, cache, shape, plan);
  };
  try {
    const results = kernels.scope(() => [
      call(lengths, new Int32Array(2), 0),
      ...[0, 1, 2].map((step) =>
        call(
          [1, 1],
          Int32Array.from(lengths, (length) => length + step),
          3 * step,
        ),
      ),
    ]);
    return await readAll(kernels, results);
  } finally {
    kernels.freeCache(cache);
  }
}

async function attentionSample(kernels: Kernels): Promise<Values[]> {
  const shape = { queryHeads: 4, kvHeads: 2, headDim: 64, scale: 0.125 };
  const offsets = Int32Array.of(0, 5, 12);
  const results = kernels.scope(() => {
    const rows = (width: number, phase: number): Tensor => wave(kernels, 12, width, phase);
    const [q, k, v, dOut] = [rows(256, 0), rows(128, 1), rows(128, 2), rows(256, 3)];
    const layout = { offsets, offsetsOnDevice: kernels.upload(offsets, [3]), longest: 7 };
    const { out, logSumExp } = kernels.attention(q, k, v, shape, layout);
    const { dQ, dK, dV } = kernels.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout);
    return [out, logSumExp, dQ, dK, dV];
  });
  return readAll(kernels, results);
}

function wave(kernels: Kernels, rows: number, width: number, phase: number): Tensor {
  return kernels.upload(
    Float32Array.from({ length: rows * width }, (_, i) => Math.sin(0.37 * i + phase)),
    [rows, width],
  );
}

async function readAll(kernels: Kernels, tensors: readonly Tensor[]): Promise<Values[]> {
  const values: Values[] = [];
  for (const tensor of tensors) values.push(await kernels.read(tensor));
  kernels.free(...tensors);
  return values;
}

export interface Machine {
  readonly platform: string;
  readonly arch: string;
  /** Darwin's kernel release, 23 for macOS 14. */
  readonly release: string;
}

/** First Darwin release with bfloat16 in Metal. */
const firstBfloat16 = 23;

export function mpsRefusal(
  dtype: "float32" | "bfloat16",
  { platform, arch, release: version }: Machine = { ...process, release: release() },
): string | null {
  if (platform !== "darwin" || arch !== "arm64")
    return `device mps needs macOS on Apple silicon, got ${platform} on ${arch}`;
  if (dtype === "bfloat16" && !(Number.parseInt(version, 10) >= firstBfloat16))
    return `bfloat16 on mps needs macOS 14 or newer (Darwin ${firstBfloat16}), got Darwin ${version}; use float32`;
  return null;
}

/** Kernel properties for memory planning. */
export interface TorchMemory {
  readonly headBytes: number;
  /** Positions per key-value cache page. */
  readonly cachePageSize?: number;
  /** Bounds on elements of float32 matrices stored twice during sampling. */
  readonly packedWeights?: readonly [least: number, most: number];
}

/** By device. */
export const torchMemory: Readonly<Record<TorchDeviceName, TorchMemory>> = {
  cpu: { headBytes: tileLimit.cpu, packedWeights: [minPacked, maxPacked] },
  cuda: { headBytes: tileLimit.cuda, cachePageSize: flashPageSize },
  mps: { headBytes: tileLimit.mps },
};
