import { performance } from "node:perf_hooks";
import type { Kernels, Tensor } from "@laconic/engine/kernels";
import type { Report } from "./report.ts";

/** Times single operations. */
export async function measurePrimitives(kernels: Kernels, small: boolean, report: Report): Promise<void> {
  const size = small ? 256 : 8192;
  const wave = (rows: number, columns: number): Tensor =>
    kernels.upload(
      Float32Array.from({ length: rows * columns }, (_, i) => ((i * 7919) % 255) / 255 - 0.5),
      [rows, columns],
    );
  const tiny = wave(8, 8);
  const calls = 2000;
  const host = await timed(kernels, tiny, 1, () => {
    for (let i = 0; i < calls; i++) kernels.free(kernels.add(tiny, tiny));
  });
  report.note("primitives", { what: "add of [8, 8], host and device", microseconds: (1000 * host) / calls });

  const [x, weight] = [wave(size, size), wave(size, size)];
  const runs = 10;
  const product = await timed(kernels, tiny, runs, () => kernels.free(kernels.linear(x, weight)));
  const tflops = (2 * size ** 3) / product / 1e9;
  report.note("primitives", { what: `linear ${size}^3, ${kernels.dtype}`, ms: product, tflops });
  kernels.free(x, weight);

  const [sequences, length] = small ? [2, 64] : [16, 1024];
  const shape = { queryHeads: 14, kvHeads: 2, headDim: 64, scale: 0.125 };
  const rows = sequences * length;
  const offsets = Int32Array.from({ length: sequences + 1 }, (_, s) => s * length);
  const layout = { offsets, offsetsOnDevice: kernels.upload(offsets, [offsets.length]), longest: length };
  const [q, k, v] = [wave(rows, 896), wave(rows, 128), wave(rows, 128)];
  const forward = kernels.attention(q, k, v, shape, layout);
  const forwardMs = await timed(kernels, tiny, runs, () => {
    const { out, logSumExp } = kernels.attention(q, k, v, shape, layout);
    kernels.free(out, logSumExp);
  });
  const backwardMs = await timed(kernels, tiny, runs, () => {
    const { dQ, dK, dV } = kernels.attentionBackward(q, { q, k, v, ...forward }, shape, layout);
    kernels.free(dQ, dK, dV);
  });
  const what = `causal attention, ${sequences} x ${length}, 14 on 2 heads of 64`;
  report.note("primitives", { what, forwardMs, backwardMs });
  kernels.free(q, k, v, forward.out, forward.logSumExp, layout.offsetsOnDevice);

  const [param, grad] = [wave(size, size), kernels.zeros([size, size], "full")];
  const moments = {
    first: kernels.zeros([size, size], "full"),
    second: kernels.zeros([size, size], "full"),
    ...(kernels.dtype === "bfloat16" && { master: kernels.copy(param, "full") }),
  };
  const step = { learningRate: 1e-6, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, step: 1 };
  const adamMs = await timed(kernels, tiny, runs, () => kernels.adamW([{ param, grad, ...moments }], step));
  report.note("primitives", { what: `AdamW on ${size * size} parameters`, ms: adamMs });
}

/** Milliseconds; reading one tensor waits for the device. */
async function timed(kernels: Kernels, tensor: Tensor, runs: number, body: () => void): Promise<number> {
  body();
  await kernels.read(tensor);
  const start = performance.now();
  for (let i = 0; i < runs; i++) body();
  // The stream runs in order.
  const last = kernels.add(tensor, tensor);
  await kernels.read(last);
  kernels.free(last);
  return (performance.now() - start) / runs;
}
