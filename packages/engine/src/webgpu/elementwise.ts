import { gateCurves, type KernelFamily, type Tensor } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";

const bend = "g * (uniforms.slope + uniforms.cubic * g * g)";

export function elementwiseKernels(device: GpuDevice): KernelFamily<"elementwise"> {
  const pairwise =
    (name: string, code: string) =>
    (a: Tensor, b: Tensor): Tensor => {
      const inputs = { a: device.data(a), b: device.data(b) };
      return device.make(a.shape, () => elementwiseProgram(name, inputs, inputs.a.size, code));
    };
  return {
    add: pairwise("add", "result[i] = a[i] + b[i];"),
    multiply: pairwise("multiply", "result[i] = a[i] * b[i];"),
    swiGlu(gate, up, curve = gateCurves.silu) {
      const inputs = { gate: device.data(gate), up: device.data(up) };
      const code = `let g = gate[i]; result[i] = g / (1.0 + exp(-${bend})) * up[i];`;
      return device.make(gate.shape, () =>
        elementwiseProgram("swiglu", inputs, inputs.gate.size, code, { floats: { ...curve } }),
      );
    },
    scaled(x, factor) {
      const data = device.data(x);
      return device.make(x.shape, () =>
        elementwiseProgram("scaled", { x: data }, data.size, "result[i] = x[i] * uniforms.factor;", {
          floats: { factor },
        }),
      );
    },
    accumulate(into, delta) {
      // A tensor added to itself needs a copy.
      const added = device.data(delta).view();
      const program = elementwiseProgram("accumulate", { delta: added }, added.size, "result[i] += delta[i];");
      device.runner.runInPlace(program, device.unshared(into));
      added.dispose();
    },
    swiGluBackward(dOut, gate, up, curve = gateCurves.silu) {
      const inputs = { dOut: device.data(dOut), gate: device.data(gate), up: device.data(up) };
      return device.makeAll({ dGate: gate.shape, dUp: gate.shape }, () =>
        elementwiseProgram(
          "swiglu-gradient",
          inputs,
          inputs.gate.size,
          `let d = dOut[i];
      let g = gate[i];
      let share = 1.0 / (1.0 + exp(-${bend}));
      let slope = uniforms.slope + 3.0 * uniforms.cubic * g * g;
      dGate[i] = d * up[i] * (share + g * share * (1.0 - share) * slope);
      dUp[i] = d * g * share;`,
          { floats: { ...curve } },
        ),
      );
    },
  };
}
