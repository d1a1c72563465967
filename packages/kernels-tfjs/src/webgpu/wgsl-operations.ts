import type { CachePlan, SequenceLayout } from "@laconic/kernels";
import { clone, type Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { FusedOperations } from "../ops/fused-operations.ts";
import type { OpsDevice } from "../ops/ops-device.ts";
import { attentionCachedProgram } from "./wgsl/attention-cached.ts";
import { putKeyValuesProgram, putRowsProgram, takeRowsProgram } from "./wgsl/put-rows.ts";
import { runChanging, runForAll, runInPlace, runProgram, threads, type ProgramRunner } from "./wgsl/run-program.ts";

/** Attention to a cache as a compute shader of our own. */
export function wgslOperations(runner: ProgramRunner): FusedOperations<OpsDevice> {
  return {
    attentionCached(device, inputs, cache, shape, plan) {
      const table = device.data(plan.tableOnDevice);
      const width = plan.table.length / plan.past.length;
      const where = { reach: reachOf(device, plan), table };
      const { k, v, keys, values } = inputs;
      const halves = keys.dtype === "int32";
      runChanging(runner, putKeyValuesProgram({ k, v, ...where }, cache, width, halves), { keys, values });
      return runProgram(runner, attentionCachedProgram({ ...inputs, ...where }, cache, width, shape), inputs.q.shape);
    },
  };
}

/** `putRows` in the memory of the data: a cache is not copied for each token. */
export function putRowsInPlace(runner: ProgramRunner): (data: TfTensor, rows: TfTensor, values: TfTensor) => TfTensor {
  return (data, rows, values) => {
    if (values.size > 0) runInPlace(runner, putRowsProgram(rows, values), data);
    return clone(data);
  };
}

/** Rows by number, bit by bit. */
export function takeRowsOn(runner: ProgramRunner): (data: TfTensor, rows: TfTensor) => TfTensor {
  return (data, rows) => {
    const [width] = data.shape.slice(1) as [number];
    const dtype = data.dtype === "int32" ? "int32" : "float32";
    const shape = [rows.size, width];
    return runForAll(runner, takeRowsProgram(data, rows), { result: { shape, dtype } }).result;
  };
}

/** Up to 64 rows of one sequence each: first row, end, sequence's start and end; int32 [4 B]. */
export function blocksOf(device: OpsDevice, { offsets, offsetsOnDevice }: SequenceLayout): TfTensor {
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
