import { expectThat } from "@laconic/core/testing";
import type { Tensor } from "../../contract.ts";
import { agreesWithReference, expectClose, tolerances, type KernelCase } from "./kernel-case.ts";
import { Bench } from "./bench.ts";

export const normCases: readonly KernelCase[] = [
  ...[3, 6, 16, 20, 130].flatMap((width) =>
    [1, 7].map((rows) =>
      agreesWithReference(`rmsNorm and its gradients: ${rows} rows of ${width}`, (bench) => {
        const { kernels } = bench;
        const [x, weight] = [bench.floats("x", [rows, width]), bench.floats("weight", [width])];
        const { out, invRms } = kernels.rmsNorm(x, weight, 1e-2);
        return { out, invRms, ...kernels.rmsNormBackward(bench.floats("dOut", [rows, width]), x, weight, invRms) };
      }),
    ),
  ),
  agreesWithReference("rmsNorm: a row of zeros stays zero", (bench) => {
    const [x, weight] = [bench.kernels.zeros([1, 6]), bench.floats("weight", [6])];
    return bench.kernels.rmsNorm(x, weight, 1e-6);
  }),
  agreesWithReference("rmsNorm: 3,000 rows add up to one weight gradient", (bench) => {
    const [x, weight, dOut] = [
      bench.floats("x", [3000, 6]),
      bench.floats("weight", [6]),
      bench.floats("dOut", [3000, 6]),
    ];
    const { invRms } = bench.kernels.rmsNorm(x, weight, 1e-6);
    return { ...bench.kernels.rmsNormBackward(dOut, x, weight, invRms) };
  }),
  ...[2, 6, 16, 20].flatMap((headDim) =>
    [1, 3].map((heads) =>
      agreesWithReference(`rotary: ${heads} heads of ${headDim}, both directions`, (bench) => {
        const x = bench.floats("x", [7, heads * headDim]);
        const positions = bench.ints("positions", [0, 1, 2, 11, 0, 1, 5]);
        const tables = bench.rotaryTables(12, headDim);
        return {
          forward: bench.kernels.rotary(x, tables, positions, heads),
          backward: bench.kernels.rotary(x, tables, positions, heads, true),
        };
      }),
    ),
  ),
  {
    name: "rotary: rotating back restores the input",
    async run(create) {
      const kernels = await create();
      const bench = new Bench(kernels);
      const turnAndBack = (): { x: Tensor; back: Tensor } => {
        const x = bench.floats("x", [4, 12]);
        const positions = bench.ints("positions", [3, 2, 1, 0]);
        const tables = bench.rotaryTables(4, 6);
        const turned = kernels.rotary(x, tables, positions, 2);
        return { x, back: kernels.rotary(turned, tables, positions, 2, true) };
      };
      const { x: input, back: output } = kernels.scope(turnAndBack);
      const [original, restored] = [await kernels.read(input), await kernels.read(output)];
      expectThat(
        restored.some((value) => value !== 0),
        "numbers other than zero",
      );
      expectClose("the restored input", restored, original, tolerances[kernels.dtype]);
      kernels.free(input, output);
    },
  },
];
