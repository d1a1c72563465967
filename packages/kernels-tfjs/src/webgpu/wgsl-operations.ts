import type { CachePlan, SequenceLayout } from "@laconic/kernels";
import { clone, reshape, slice, type Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { FusedOperations } from "../ops/fused-operations.ts";
import type { OpsDevice } from "../ops/ops-device.ts";
import { attentionKeyValueGradient, attentionQueryGradient } from "./wgsl/attention-backward.ts";
import { attentionCachedProgram } from "./wgsl/attention-cached.ts";
import { attentionProgram } from "./wgsl/attention.ts";
import { selectLogProbsGradient, selectLogProbsProgram } from "./wgsl/log-probs.ts";
import { putRowsProgram } from "./wgsl/put-rows.ts";
import { runInPlace, runProgram, threads, type ProgramRunner } from "./wgsl/run-program.ts";

/** Attention and the selective log-softmax as compute shaders of our own. */
export function wgslOperations(runner: ProgramRunner): FusedOperations<OpsDevice> {
  return {
    attention(device, inputs, shape, layout) {
      const [rows, width] = inputs.q.shape as [number, number];
      const size = rows * width;
      const sums = rows * shape.queryHeads;
      const program = attentionProgram({ ...inputs, blocks: blocksOf(device, layout) }, shape);
      const both = runProgram(runner, program, [size + sums]);
      return [slice(both, 0, size), slice(both, size, sums)];
    },
    attentionBackward(device, inputs, shape, layout) {
      const given = { ...inputs, blocks: blocksOf(device, layout) };
      const [rows, width] = inputs.k.shape as [number, number];
      const size = rows * width;
      const dQ = runProgram(runner, attentionQueryGradient(given, shape), inputs.q.shape);
      const both = runProgram(runner, attentionKeyValueGradient(given, shape), [2 * size]);
      return [dQ, slice(both, 0, size), slice(both, size, size)];
    },
    attentionCached(device, inputs, cache, shape, plan) {
      const table = device.data(plan.tableOnDevice);
      const width = plan.table.length / plan.past.length;
      const program = attentionCachedProgram({ ...inputs, reach: reachOf(device, plan), table }, cache, width, shape);
      return runProgram(runner, program, inputs.q.shape);
    },
    selectLogProbs(logits, targets, scale) {
      const [rows] = logits.shape as [number];
      const all = runProgram(runner, selectLogProbsProgram(logits, targets, scale), [3, rows]);
      return [0, 1, 2].map((i) => reshape(slice(all, [i, 0], [1, rows]), [rows])) as [TfTensor, TfTensor, TfTensor];
    },
    selectLogProbsBackward: (logits, row) => runProgram(runner, selectLogProbsGradient(logits, row), logits.shape),
  };
}

/** `putRows` in the memory of the data: a cache is not copied for each token. */
export function putRowsInPlace(runner: ProgramRunner): (data: TfTensor, rows: TfTensor, values: TfTensor) => TfTensor {
  return (data, rows, values) => {
    if (values.size > 0) runInPlace(runner, putRowsProgram(rows, values), data);
    return clone(data);
  };
}

/** Up to 64 rows of one sequence each: first row, end, sequence's start and end; int32 [4 B]. */
function blocksOf(device: OpsDevice, { offsets, offsetsOnDevice }: SequenceLayout): TfTensor {
  return device.deriveIndices(offsetsOnDevice, "blocks", () => {
    const blocks: number[] = [];
    for (let s = 0; s + 1 < offsets.length; s++) {
      const [start, end] = [offsets[s] as number, offsets[s + 1] as number];
      for (let row = start; row < end; row += threads) blocks.push(row, Math.min(row + threads, end), start, end);
    }
    return Int32Array.from(blocks);
  });
}

/** The sequence of each new token, and the positions that it may look at: int32 [2 N]. */
function reachOf(device: OpsDevice, { layout, past, pastOnDevice }: CachePlan): TfTensor {
  return device.deriveIndices(pastOnDevice, "reach", () => {
    const { offsets } = layout;
    const reach = new Int32Array(2 * (offsets.at(-1) as number));
    past.forEach((held, s) => {
      const start = offsets[s] as number;
      for (let token = start; token < (offsets[s + 1] as number); token++)
        reach.set([s, held + token - start + 1], 2 * token);
    });
    return reach;
  });
}
