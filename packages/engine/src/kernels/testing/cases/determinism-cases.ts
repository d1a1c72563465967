import type { Tensor } from "../../contract.ts";
import { attentionShapeOf } from "./attention-cases.ts";
import { Bench } from "./bench.ts";
import { expectSame, type KernelCase } from "./kernel-case.ts";

function repeats(name: string, compute: (bench: Bench) => Readonly<Record<string, Tensor>>): KernelCase {
  return {
    name: `gives the same bits again: ${name}`,
    async run(create) {
      const kernels = await create();
      const [first, second] = [1, 2].map(() => kernels.scope(() => compute(new Bench(kernels)))) as [
        Record<string, Tensor>,
        Record<string, Tensor>,
      ];
      for (const [key, tensor] of Object.entries(first)) {
        const again = second[key] as Tensor;
        expectSame(key, await kernels.read(again), await kernels.read(tensor));
        kernels.free(tensor, again);
      }
    },
  };
}

/** Rows have the same bits in any batch, if the kernel set is batch-invariant. */
function rowsAlone(name: string, columns: number, compute: (bench: Bench, x: Tensor) => Tensor): KernelCase {
  return {
    name: `a row does not depend on its neighbours: ${name}`,
    async run(create) {
      const kernels = await create();
      if (!kernels.batchInvariant) return;
      const rows = 67;
      const take = (chosen: readonly number[]): Tensor =>
        kernels.scope(() => {
          const bench = new Bench(kernels);
          const x = bench.floats("x", [rows, columns]);
          return compute(bench, kernels.gatherRows(x, bench.ints("chosen", chosen)));
        });
      const all = Array.from({ length: rows }, (_, row) => row);
      const together = take(all);
      const expected = await kernels.read(together);
      const width = together.shape[1] as number;
      for (const chosen of [[0], [66], [31, 5], [8, 9, 10], [60, 2, 41, 13, 7], all.slice(3, 20), all.slice(0, 33)]) {
        const part = take(chosen);
        const actual = await kernels.read(part);
        for (const [i, row] of chosen.entries())
          expectSame(
            `row ${row} among ${chosen.length}`,
            actual.slice(i * width, (i + 1) * width),
            expected.slice(row * width, (row + 1) * width),
          );
        kernels.free(part);
      }
      kernels.free(together);
    },
  };
}

/** Parallel sums must have a fixed order. */
export const determinismCases: readonly KernelCase[] = [
  repeats("scatterAddRows of 300 rows to 3", (bench) => ({
    out: bench.kernels.scatterAddRows(
      bench.floats("delta", [300, 20]),
      bench.ints(
        "rows",
        Array.from({ length: 300 }, (_, i) => i % 3),
      ),
      3,
    ),
  })),
  repeats("gradients of linear and rmsNorm over 300 rows", (bench) => {
    const { kernels } = bench;
    const [x, weight, dOut] = [
      bench.floats("x", [300, 20]),
      bench.floats("w", [12, 20]),
      bench.floats("dOut", [300, 12]),
    ];
    const norm = bench.floats("norm", [20]);
    const { invRms } = kernels.rmsNorm(x, norm, 1e-6);
    const ofNorm = kernels.rmsNormBackward(bench.floats("dNorm", [300, 20]), x, norm, invRms);
    return {
      ...kernels.linearBackward(dOut, x, weight, { input: true, weight: true, bias: true }),
      dNormX: ofNorm.dX,
      dNormWeight: ofNorm.dWeight,
    };
  }),
  repeats("gradients of attention", (bench) => {
    const { kernels } = bench;
    const [q, k, v] = [bench.floats("q", [40, 64]), bench.floats("k", [40, 16]), bench.floats("v", [40, 16])];
    const [shape, layout] = [attentionShapeOf(4, 1, 16), bench.layout([33, 7])];
    const { out, logSumExp } = kernels.attention(q, k, v, shape, layout);
    return {
      out,
      ...kernels.attentionBackward(bench.floats("dOut", [40, 64]), { q, k, v, out, logSumExp }, shape, layout),
    };
  }),
  rowsAlone("linear 64 to 172", 64, (bench, x) => bench.kernels.linear(x, bench.floats("w", [172, 64]))),
  rowsAlone("linear 45 to 7 with bias", 45, (bench, x) =>
    bench.kernels.linear(x, bench.floats("w", [7, 45]), bench.floats("bias", [7])),
  ),
  rowsAlone("headLogits 64 to 301", 64, (bench, x) => bench.kernels.headLogits(x, bench.floats("w", [301, 64]))),
  rowsAlone("rmsNorm of 64", 64, (bench, x) => bench.kernels.rmsNorm(x, bench.floats("w", [64]), 1e-6).out),
  rowsAlone("swiGlu of 33", 33, (bench, x) => bench.kernels.swiGlu(x, bench.kernels.scaled(x, 0.5))),
  repeats("sumSquares of 10,000 numbers", (bench) => ({
    out: bench.kernels.sumSquares([bench.floats("x", [100, 100])]),
  })),
];
