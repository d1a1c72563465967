import type { Tensor } from "../../contract.ts";
import { agreesWithReference, type KernelCase } from "./kernel-case.ts";

/** Rows, inner width, outer width. */
const sizes: readonly (readonly [number, number, number])[] = [
  [1, 1, 1],
  [1, 6, 5],
  [7, 6, 5],
  [3, 5, 1],
  [2, 1, 9],
  [33, 20, 45],
  [64, 64, 64],
  [130, 33, 17],
  [5, 300, 3],
];

export const linearCases: readonly KernelCase[] = [
  ...sizes.map(([rows, inner, outer]) =>
    agreesWithReference(`linear: ${rows} rows, ${inner} -> ${outer}`, (bench) => {
      const { kernels } = bench;
      const [x, weight] = [bench.floats("x", [rows, inner]), bench.weight("weight", [outer, inner])];
      const [bias, dOut] = [bench.floats("bias", [outer]), bench.floats("dOut", [rows, outer])];
      return {
        plain: kernels.linear(x, weight),
        biased: kernels.linear(x, weight, bias),
        ...kernels.linearBackward(dOut, x, weight, { input: true, weight: true, bias: true }),
      };
    }),
  ),
  ...[true, false]
    .flatMap((input) => [true, false].flatMap((weight) => [true, false].map((bias) => ({ input, weight, bias }))))
    .map((needs) =>
      agreesWithReference(`linearBackward returns what is needed: ${JSON.stringify(needs)}`, (bench) => {
        const [x, w, dOut] = [bench.floats("x", [7, 6]), bench.weight("w", [5, 6]), bench.floats("dOut", [7, 5])];
        return { ...bench.kernels.linearBackward(dOut, x, w, needs) };
      }),
    ),
  agreesWithReference("linear: one weight serves batches of different sizes", (bench) => {
    const weight = bench.weight("weight", [5, 6]);
    const call = (rows: number): ReturnType<typeof bench.kernels.linear> =>
      bench.kernels.linear(bench.floats(`x${rows}`, [rows, 6]), weight);
    return { nine: call(9), one: call(1), nineAgain: call(9), forty: call(40) };
  }),
  agreesWithReference("a steady weight: equal results before and after a change, and after the last cache", (bench) => {
    const { kernels } = bench;
    // Wide enough for another weight layout.
    const [inner, outer] = [257, 260];
    const [weight, bias] = [bench.state("weight", [outer, inner]), bench.floats("bias", [outer])];
    const call = (name: string, rows: number): Record<string, Tensor> => {
      const x = bench.floats(`x ${rows}`, [rows, inner]);
      const onto = bench.state(`onto ${name} ${rows}`, [rows, outer]);
      kernels.linearOnto(onto, x, weight, bias, true);
      return {
        [`${name} ${rows} plain`]: kernels.linear(x, weight, undefined, true),
        [`${name} ${rows} biased`]: kernels.linear(x, weight, bias, true),
        [`${name} ${rows} onto`]: onto,
        [`${name} ${rows} logits`]: kernels.headLogits(x, weight, true),
      };
    };
    const pageSize = kernels.cachePageSize ?? 4;
    const cache = kernels.createCache({ pages: 1, pageSize, kvHeads: 1, headDim: 8 });
    const first = { ...call("first", 1), ...call("first", 3) };
    kernels.assign([weight], [bench.floats("changed", [outer, inner])]);
    const changed = { ...call("changed", 0), ...call("changed", 3) };
    kernels.freeCache(cache);
    return { ...first, ...changed, ...call("behind", 3) };
  }),
];
