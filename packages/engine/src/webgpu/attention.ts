import { matrixSize, type Kernels } from "../kernels/index.ts";
import { blocksOf } from "./attention-blocks.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { attentionKeyValueGradient, attentionQueryGradient, attentionStats } from "./wgsl/attention-backward.ts";
import { attentionProgram } from "./wgsl/attention.ts";

/** Causal attention over packed sequences and trees of segments, without scores in memory or copies of keys. */
export function attentionKernels(device: GpuDevice): Pick<Kernels, "attention" | "attentionBackward"> {
  const { runner } = device;
  return {
    attention(q, k, v, shape, layout) {
      const [rows] = matrixSize(q);
      const inputs = { q: device.data(q), k: device.data(k), v: device.data(v) };
      const { result, logSumExp } = device.makeAll({ result: q.shape, logSumExp: [rows, shape.queryHeads] }, () =>
        attentionProgram(inputs, blocksOf(device, layout), shape),
      );
      return { out: result, logSumExp };
    },
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      const [rows] = matrixSize(q);
      const { queryHeads } = shape;
      if (rows === 0) return { dQ: device.blank(q.shape), dK: device.blank(k.shape), dV: device.blank(v.shape) };
      const known = { out: device.data(out), dOut: device.data(dOut), logSumExp: device.data(logSumExp) };
      const stats = runner.run(attentionStats(known, shape), [rows, queryHeads, 2]);
      const given = {
        q: device.data(q),
        k: device.data(k),
        v: device.data(v),
        dOut: known.dOut,
        stats,
        blocks: blocksOf(device, layout),
      };
      const dQ = device.make(q.shape, () => attentionQueryGradient(given, shape));
      const { result, valueGradient } = device.makeAll({ result: k.shape, valueGradient: v.shape }, () =>
        attentionKeyValueGradient(given, shape),
      );
      stats.dispose();
      return { dQ, dK: result, dV: valueGradient };
    },
  };
}
