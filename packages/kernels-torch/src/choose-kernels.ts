import { LaconicError } from "@laconic/core";
import type { Kernels, Tensor } from "@laconic/kernels";
import { flashPageSize, type FlashCacheKind } from "./kernels/flash-cache.ts";
import type { Torch } from "./native/torch.ts";
import { torchKernelSet } from "./torch-kernels.ts";

/**
 * PyTorch's fused attention, and its fused gradient of norms, where they give what plain products give on a small case, else plain products: its arguments
 * and limits differ between versions and cards.
 */
export async function chooseKernels(torch: Torch, dtype: "float32" | "bfloat16"): Promise<Kernels> {
  const safe = torchKernelSet(torch, dtype, { attention: "math", normBackward: "composed" });
  const norms =
    torch.device === "cuda" && (await agree(safe, torchKernelSet(torch, dtype, { attention: "math" }), normSample))
      ? "fused"
      : "composed";
  const plain = torchKernelSet(torch, dtype, { attention: "math", normBackward: norms });
  // CUDA's flash attention takes no float32.
  if (torch.device === "cuda" && dtype === "float32") return plain;
  const fused = torchKernelSet(torch, dtype, { attention: "fused", normBackward: norms });
  if (torch.device === "cpu") return fused;
  if (!(await agree(plain, fused, attentionSample))) return plain;
  for (const caching of cacheKinds(torch)) {
    const set = torchKernelSet(torch, dtype, { attention: "fused", caching, normBackward: norms });
    if (await agree(plain, set, (kernels) => cacheSample(kernels, caching === "pages"))) return set;
  }
  return fused;
}

/** The caches to try, the best first: pages are in the schema from 2.12, and read by the kernel that comes with it from 2.13. */
function cacheKinds({ library: { version } }: Torch): readonly FlashCacheKind[] {
  return version.major > 2 || version.minor >= 13 ? ["pages", "slots"] : ["slots"];
}

/** Gradients of a norm over many rows, those of its weight as parts of the largest. */
async function normSample(kernels: Kernels): Promise<number[]> {
  const [rows, width] = [300, 64];
  const { dX, dWeight } = kernels.scope(() => {
    const wave = (phase: number): Tensor =>
      kernels.upload(
        Float32Array.from({ length: rows * width }, (_, i) => Math.sin(0.37 * i + phase)),
        [rows, width],
      );
    const weight = kernels.upload(
      Float32Array.from({ length: width }, (_, i) => 1 + Math.cos(i)),
      [width],
    );
    const x = wave(0);
    return kernels.rmsNormBackward(wave(1), x, weight, kernels.rmsNorm(x, weight, 1e-6).invRms);
  });
  const [ofX, ofWeight] = [await kernels.read(dX), await kernels.read(dWeight)];
  kernels.free(dX, dWeight);
  const largest = Math.max(...Array.from(ofWeight, Math.abs));
  return [...ofX, ...Array.from(ofWeight, (value) => value / largest)];
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
    await appendTo(values, kernels, results);
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
  await appendTo(values, kernels, results);
  return values;
}

/** One by one: a call takes no quarter of a million arguments. Frees the tensors. */
async function appendTo(values: number[], kernels: Kernels, tensors: readonly Tensor[]): Promise<void> {
  for (const tensor of tensors) for (const value of await kernels.read(tensor)) values.push(value);
  kernels.free(...tensors);
}
