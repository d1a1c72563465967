import { mapValues } from "@laconic/core";
import { headSize, type KernelFamily } from "../kernels/index.ts";
import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { product, productInto } from "./linear.ts";
import { groupIndex, threads, type WgslProgram } from "./wgsl/program.ts";

/** Max logits at a time; every adapter binds 128 MiB. */
const maxElements = 1 << 24;

/** Groups rows with at most {@link maxElements} logits. */
export function headKernels(device: GpuDevice): KernelFamily<"head"> {
  const { runner } = device;
  const inPieces = (
    { hidden, weight }: Readonly<Record<"hidden" | "weight", GpuArray>>,
    vocabulary: number,
    body: (logits: GpuArray, first: number) => void,
  ): void => {
    const [rows, width] = hidden.shape as [number, number];
    const atOnce = Math.max(1, Math.floor(maxElements / vocabulary));
    for (let first = 0; first < rows; first += atOnce) {
      const logits = product(device, {
        rows: Math.min(atOnce, rows - first),
        columns: vocabulary,
        inner: width,
        left: { data: hidden, along: true, start: first * width },
        right: { data: weight, along: true },
      });
      body(logits, first);
      logits.dispose();
    }
  };
  return {
    headLogProbs(hidden, weight, targets, inverseTemperature) {
      const [rows, , vocabulary] = headSize(hidden, weight);
      const made = { logProbs: device.blank([rows]), entropy: device.blank([rows]), logSumExp: device.blank([rows]) };
      const row = { targets: device.data(targets), scale: device.data(inverseTemperature) };
      const written = mapValues(made, ({ data }) => data);
      inPieces({ hidden: device.data(hidden), weight: device.data(weight) }, vocabulary, (logits, first) =>
        runner.runChanging(selectLogProbsProgram(logits, { ...row, first }), written),
      );
      return made;
    },
    headLogProbsBackward(dLogProbs, forward, needs, into = {}) {
      const { inverseTemperature, logSumExp } = forward;
      const [rows, width, vocabulary] = headSize(forward.hidden, forward.weight);
      const [hidden, weight] = [device.data(forward.hidden), device.data(forward.weight)];
      const row = {
        targets: device.data(forward.targets),
        scale: device.data(inverseTemperature),
        logSumExp: device.data(logSumExp),
        dLogProb: device.data(dLogProbs),
      };
      const dHidden = device.blank([rows, width]);
      const backward = (ofWeight: GpuArray | null, addsToWeight: boolean): void =>
        inPieces({ hidden, weight }, vocabulary, (logits, first) => {
          const [count] = logits.shape as [number];
          runner.runInPlace(selectLogProbsGradient([count, vocabulary], { ...row, first }), logits);
          const start = first * width;
          const dLogits = { data: logits, along: true };
          const right = { data: weight, along: false };
          const part = { rows: count, columns: width, inner: vocabulary, left: dLogits, right, start };
          productInto(device, part, device.data(dHidden));
          if (!ofWeight) return;
          const whole = {
            rows: vocabulary,
            columns: width,
            inner: count,
            left: { data: logits, along: false },
            right: { data: hidden, along: false, start },
            adds: addsToWeight || first > 0,
          };
          productInto(device, whole, ofWeight);
        });
      if (!needs.weight) backward(null, false);
      const dWeight = needs.weight ? device.settle(into.dWeight, [vocabulary, width], rows, backward) : null;
      return dWeight ? { dHidden, dWeight } : { dHidden };
    },
  };
}

/** The program's logits start at row `first`. */
type OfRows<Name extends string> = Readonly<Record<Name, GpuArray>> & { readonly first: number };

/**
 * Selective log-softmax of logits [m, V] in one pass. Threads keep their largest score and two sums relative to it.
 * Writes `logProbs`, `entropy` and `logSumExp`, [M] each.
 */
function selectLogProbsProgram(logits: GpuArray, { first, ...row }: OfRows<"targets" | "scale">): WgslProgram {
  const [rows, vocabulary] = logits.shape as [number, number];
  return {
    name: "select-log-probs",
    inputs: { logits, ...row },
    integers: { rows, vocabulary, first },
    groups: rows,
    code: `
var<workgroup> largest : array<f32, THREADS>;
var<workgroup> sums : array<f32, THREADS>;
var<workgroup> weighted : array<f32, THREADS>;
fn main(index : i32) {
  let row = ${groupIndex};
  let at = uniforms.first + row;
  let own = i32(localIndex);
  var most = -1e30;
  var sum = 0.0;
  var weight = 0.0;
  if (row < uniforms.rows) {
    for (var i = own; i < uniforms.vocabulary; i += THREADS) {
      let score = logits[row * uniforms.vocabulary + i] * scale[at];
      if (score > most) {
        let kept = exp(most - score);
        sum *= kept;
        weight *= kept;
        most = score;
      }
      let share = exp(score - most);
      sum += share;
      weight += share * score;
    }
  }
  largest[own] = most;
  sums[own] = sum;
  weighted[own] = weight;
  workgroupBarrier();
  if (own == 0 && row < uniforms.rows) {
    for (var i = 1; i < THREADS; i++) { most = max(most, largest[i]); }
    sum = 0.0;
    weight = 0.0;
    for (var i = 0; i < THREADS; i++) {
      let kept = exp(largest[i] - most);
      sum += sums[i] * kept;
      weight += weighted[i] * kept;
    }
    let whole = most + log(sum);
    logProbs[at] = logits[row * uniforms.vocabulary + targets[at]] * scale[at] - whole;
    entropy[at] = whole - weight / sum;
    logSumExp[at] = whole;
  }
}`,
  };
}

/** Writes dLogProb scale (one-hot(target) - softmax), [m, V]. */
function selectLogProbsGradient(
  [rows, vocabulary]: readonly [number, number],
  { first, ...inputs }: OfRows<"targets" | "scale" | "logSumExp" | "dLogProb">,
): WgslProgram {
  return {
    name: "select-log-probs-gradient",
    inputs,
    integers: { count: rows * vocabulary, vocabulary, first },
    groups: Math.ceil((rows * vocabulary) / threads),
    code: `
fn main(index : i32) {
  if (index < uniforms.count) {
    let at = uniforms.first + index / uniforms.vocabulary;
    let share = exp(result[index] * scale[at] - logSumExp[at]);
    let picked = select(0.0, 1.0, index % uniforms.vocabulary == targets[at]);
    result[index] = dLogProb[at] * scale[at] * (picked - share);
  }
}`,
  };
}
