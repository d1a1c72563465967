import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelSource, Kernels, Tensor } from "@laconic/kernels";
import { findTorch } from "./find/torch-install.ts";
import { checkCudaDriver } from "./native/cuda-driver.ts";
import { loadLibrary } from "./native/library.ts";
import { Torch } from "./native/torch.ts";
import { flashPageSize, type FlashCacheKind } from "./kernels/flash-cache.ts";
import { torchKernelSet } from "./torch-kernels.ts";

/**
 * What an engine's worker calls. Options: `device` (`cpu`, `cuda`), `dtype` (`float32`, `bfloat16`), `threads` of one
 * operation on the CPU, `tf32` (false unless told), `index` of the GPU (0 unless told), `torch` (folder of the torch package; searched for unless told).
 * @throws LaconicError `device_unavailable` with what is missing; `config_invalid` for an unknown option.
 */
export const createKernels: CreateKernels = async (options = {}) => {
  const { device = "cpu", dtype = "float32", threads, tf32 = false, index = 0, torch, ...unknown } = options;
  const [surplus] = Object.keys(unknown);
  if (surplus !== undefined) throw new LaconicError("config_invalid", `kernels-torch has no option ${surplus}`);
  if (device !== "cpu" && device !== "cuda")
    throw new LaconicError("config_invalid", `device is ${device}, expected cpu or cuda`);
  if (dtype !== "float32" && dtype !== "bfloat16")
    throw new LaconicError("config_invalid", `dtype is ${dtype}, expected float32 or bfloat16`);
  if (threads !== undefined && !(typeof threads === "number" && Number.isInteger(threads) && threads > 0))
    throw new LaconicError("config_invalid", `threads is ${threads}, expected a whole number from 1`);
  if (typeof tf32 !== "boolean")
    throw new LaconicError("config_invalid", `tf32 is ${JSON.stringify(tf32)}, expected true or false`);
  if (!(typeof index === "number" && Number.isInteger(index) && index >= 0))
    throw new LaconicError("config_invalid", `index is ${index}, expected a whole number from 0`);
  if (index > 0 && device !== "cuda")
    throw new LaconicError("config_invalid", `index is ${index}, but device ${device} counts no GPUs`);
  const install = findTorch(torch === undefined ? process.env : { LACONIC_TORCH: String(torch) });
  if (device === "cuda" && !install.cuda)
    throw new LaconicError(
      "device_unavailable",
      `PyTorch ${install.version ?? ""} in ${install.folder} was built without CUDA; install a CUDA build`,
      { folder: install.folder },
    );
  if (device === "cuda") checkCudaDriver(index);
  const library = loadLibrary(install, { device, index, tf32, ...(threads !== undefined && { threads }) });
  return checkedKernels(new Torch(library, device), dtype);
};

/**
 * PyTorch's fused attention where it gives what plain products give on a small case, else plain products: its arguments
 * and limits differ between versions and cards.
 */
async function checkedKernels(torch: Torch, dtype: "float32" | "bfloat16"): Promise<Kernels> {
  const plain = torchKernelSet(torch, dtype, "math");
  // CUDA's flash attention takes no float32.
  if (torch.device === "cuda" && dtype === "float32") return plain;
  const fused = torchKernelSet(torch, dtype, "fused");
  if (torch.device === "cpu") return fused;
  if (!(await agree(plain, fused, attentionSample))) return plain;
  for (const caching of cacheKinds(torch)) {
    const set = torchKernelSet(torch, dtype, "fused", caching);
    if (await agree(plain, set, (kernels) => cacheSample(kernels, caching === "pages"))) return set;
  }
  return fused;
}

/** The caches to try, the best first: pages are in the schema from 2.12, and read by the kernel that comes with it from 2.13. */
function cacheKinds({ library: { version } }: Torch): readonly FlashCacheKind[] {
  return version.major > 2 || version.minor >= 13 ? ["pages", "slots"] : ["slots"];
}

async function agree(plain: Kernels, set: Kernels, sample: (kernels: Kernels) => Promise<number[]>): Promise<boolean> {
  try {
    const [expected, actual] = [await sample(plain), await sample(set)];
    // A number that is none differs from every other.
    return expected.every((value, i) => Math.abs(value - (actual[i] as number)) < 0.05);
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    return false;
  }
}

/**
 * Prompts of two unequal sequences longer than a page, and three tokens more of each, with grouped heads. Memory that the
 * results may get is filled with NaN before: rows that a kernel leaves unwritten show.
 */
async function cacheSample(kernels: Kernels, paged: boolean): Promise<number[]> {
  const shape = { queryHeads: 4, kvHeads: 2, headDim: 64, scale: 0.125 };
  const lengths = [700, 300];
  // The plain set reads the same pages after copying them.
  const size = paged ? { pages: 8, pageSize: flashPageSize } : { pages: 3, pageSize: 768 };
  const table = paged ? Int32Array.of(6, 1, 4, 3, 0, 0) : Int32Array.of(2, 0);
  const cache = kernels.createCache({ ...size, kvHeads: shape.kvHeads, headDim: shape.headDim });
  const wave = (rows: number, width: number, phase: number): Tensor =>
    kernels.upload(
      Float32Array.from({ length: rows * width }, (_, i) => Math.sin(0.37 * i + phase)),
      [rows, width],
    );
  const call = (counts: readonly number[], past: Int32Array, phase: number): Tensor => {
    const offsets = Int32Array.of(0, counts[0] as number, (counts[0] as number) + (counts[1] as number));
    const rows = offsets[2] as number;
    const plan = {
      layout: { offsets, offsetsOnDevice: kernels.upload(offsets, [3]), longest: Math.max(...counts) },
      table,
      tableOnDevice: kernels.upload(table, [2, table.length / 2]),
      past,
      pastOnDevice: kernels.upload(past, [2]),
    };
    const [q, k, v] = [wave(rows, 256, phase), wave(rows, 128, phase + 1), wave(rows, 128, phase + 2)] as const;
    kernels.free(kernels.upload(new Float32Array(rows * 256).fill(NaN), [rows, 256]));
    return kernels.attentionCached(q, k, v, cache, shape, plan);
  };
  const values: number[] = [];
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
    for (const tensor of results) values.push(...(await kernels.read(tensor)));
    kernels.free(...results);
  } finally {
    kernels.freeCache(cache);
  }
  return values;
}

/** Attention over two sequences and its gradients, with grouped heads. */
async function attentionSample(kernels: Kernels): Promise<number[]> {
  const shape = { queryHeads: 4, kvHeads: 2, headDim: 64, scale: 0.125 };
  const offsets = Int32Array.of(0, 5, 12);
  const results = kernels.scope(() => {
    const wave = (width: number, phase: number): Tensor =>
      kernels.upload(
        Float32Array.from({ length: 12 * width }, (_, i) => Math.sin(0.37 * i + phase)),
        [12, width],
      );
    const [q, k, v, dOut] = [wave(256, 0), wave(128, 1), wave(128, 2), wave(256, 3)] as const;
    const layout = { offsets, offsetsOnDevice: kernels.upload(offsets, [3]), longest: 7 };
    const { out, logSumExp } = kernels.attention(q, k, v, shape, layout);
    const { dQ, dK, dV } = kernels.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout);
    return [out, logSumExp, dQ, dK, dV];
  });
  const values: number[] = [];
  for (const tensor of results) values.push(...(await kernels.read(tensor)));
  kernels.free(...results);
  return values;
}

/** Settings of {@link createKernels}. */
export interface TorchOptions {
  readonly device: "cpu" | "cuda";
  /** float32 unless told. */
  readonly dtype?: "float32" | "bfloat16";
  /** Of one operation on the CPU; all cores unless told. */
  readonly threads?: number;
  /** Of the GPU, as CUDA counts them; 0 unless told. */
  readonly index?: number;
  /** TF32 products of float32 matrices on CUDA: 10 bits of fraction instead of 23, and faster. False unless told. */
  readonly tf32?: boolean;
  /** Folder of the torch package; searched for unless told. */
  readonly torch?: string;
}

/** Where an engine finds these kernels. */
export function torchKernels(options: TorchOptions): KernelSource {
  return { device: options.device, module: import.meta.url, options: { ...options } };
}
