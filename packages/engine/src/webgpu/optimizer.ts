import type { Kernels } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";
import { packHalves } from "./wgsl/halves.ts";
import { partsOf, sumProgram, sumSquaresProgram } from "./wgsl/sum-squares.ts";

/** WGSL of an update; `scale` multiplies the gradient. */
const update = `
      let g = grad[i] * scale;
      let m = moment1[i] * uniforms.beta1 + g * uniforms.newShare1;
      let v = moment2[i] * uniforms.beta2 + g * g * uniforms.newShare2;
      moment1[i] = m;
      moment2[i] = v;
      param[i] = param[i] * uniforms.kept - m / (sqrt(v) * uniforms.rootScale + uniforms.epsilon) * uniforms.rate;`;

/** How an exact weight is rounded behind the update. */
type Rounded = "none" | "float32" | "halves";

/** WGSL of the update of element `i`, or of the two whose halves lie in one number. */
function updateOf(clipped: boolean, rounded: Rounded): string {
  const one = clipped ? clippedUpdate : `let scale = 1.0;${update}`;
  if (rounded === "none") return one;
  if (rounded === "float32") return `{ ${one} }\n      rounded[i] = param[i];`;
  return `
      let first = 2 * i;
      var pair = vec2<f32>();
      for (var k = 0; k < 2; k++) {
        let i = first + k;
        if (i < uniforms.numbers) {
          { ${one} }
          pair[k] = param[i];
        }
      }
      rounded[i] = ${packHalves("pair")};`;
}

/** The same where the sum of squares is finite: seen by its bits, because shaders may take every float for finite. */
const clippedUpdate = `
      let exponent = bitcast<u32>(squares[0]) & 0x7f800000u;
      if (exponent != 0x7f800000u) {
      let norm = sqrt(squares[0]);
      let scale = select(1.0, uniforms.maxNorm / norm, norm > uniforms.maxNorm);${update}
      }`;

/** Gradient norm and AdamW, one dispatch for a tensor. */
export function optimizerKernels(device: GpuDevice): Pick<Kernels, "sumSquares" | "adamW"> {
  const { runner, store } = device;
  return {
    sumSquares(tensors) {
      const filled = tensors.map((each) => device.data(each)).filter(({ size }) => size > 0);
      const count = filled.reduce((sum, each) => sum + partsOf(each), 0);
      if (count === 0) return device.zeros([1]);
      const parts = runner.blank([count]);
      let first = 0;
      for (const each of filled) {
        runner.runInPlace(sumSquaresProgram(each, first), parts);
        first += partsOf(each);
      }
      const sum = device.make([1], () => sumProgram(parts));
      parts.dispose();
      return sum;
    },
    adamW(tensors, step) {
      const { learningRate, beta1, beta2, epsilon, weightDecay, clip } = step;
      const numbers = {
        beta1,
        newShare1: 1 - beta1,
        beta2,
        newShare2: 1 - beta2,
        kept: 1 - learningRate * weightDecay,
        rootScale: 1 / Math.sqrt(1 - beta2 ** step.step),
        epsilon,
        rate: learningRate / (1 - beta1 ** step.step),
      };
      // Beyond every float: no norm is larger.
      const maxNorm = Math.min(clip?.maxNorm ?? Infinity, 3e38);
      for (const { param, grad, first, second, master } of tensors) {
        const gradient = device.data(grad);
        if (gradient.size === 0) continue;
        const rounded = !master ? "none" : store.get(param).halves ? "halves" : "float32";
        const program = elementwiseProgram(
          `${clip ? "clipped-" : ""}adamw ${rounded}`,
          { grad: gradient, ...(clip && { squares: device.data(clip.squares) }) },
          rounded === "halves" ? Math.ceil(gradient.size / 2) : gradient.size,
          updateOf(clip !== undefined, rounded),
          { ...numbers, ...(clip && { maxNorm }) },
        );
        const uniforms = { ...program.uniforms, numbers: { type: "int32" as const, value: gradient.size } };
        runner.runChanging(
          { ...program, uniforms },
          {
            param: device.own(master ?? param),
            moment1: device.own(first),
            moment2: device.own(second),
            ...(master && { rounded: device.ownStored(param) }),
          },
        );
      }
    },
  };
}
