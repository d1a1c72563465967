import { gateCurves, type Tensor } from "../../index.ts";
import { agreesWithReference, type KernelCase } from "./kernel-case.ts";

const shapes: readonly (readonly [number, number])[] = [
  [1, 1],
  [1, 3],
  [2, 2],
  [5, 7],
  [17, 60],
  [5, 48],
];

export const elementwiseCases: readonly KernelCase[] = [
  ...shapes.flatMap((shape) => [
    agreesWithReference(`add and accumulate: [${shape.join(", ")}]`, (bench) => {
      const [a, b, into] = [bench.floats("a", shape), bench.floats("b", shape), bench.state("into", shape)];
      bench.kernels.accumulate(into, b);
      bench.kernels.accumulate(into, a);
      return { sum: bench.kernels.add(a, b), into };
    }),
    agreesWithReference(`multiply and scaled: [${shape.join(", ")}]`, (bench) => {
      const [a, b] = [bench.floats("a", shape), bench.floats("b", shape)];
      return { product: bench.kernels.multiply(a, b), scaled: bench.kernels.scaled(a, -0.375) };
    }),
    agreesWithReference(`swiGlu and its gradients: [${shape.join(", ")}]`, (bench) => {
      const [gate, up, dOut] = [bench.floats("gate", shape, 2), bench.floats("up", shape), bench.floats("dOut", shape)];
      return { out: bench.kernels.swiGlu(gate, up), ...bench.kernels.swiGluBackward(dOut, gate, up) };
    }),
    ...Object.entries(gateCurves).map(([name, curve]) =>
      agreesWithReference(`${name} as the gate, and its gradients: [${shape.join(", ")}]`, (bench) => {
        const { kernels } = bench;
        const [gate, up, dOut] = ["gate", "up", "dOut"].map((key) => bench.floats(key, shape, 2)) as [
          Tensor,
          Tensor,
          Tensor,
        ];
        return { out: kernels.swiGlu(gate, up, curve), ...kernels.swiGluBackward(dOut, gate, up, curve) };
      }),
    ),
  ]),
  ...[
    {
      name: "swiGlu saturates without overflow: gates of up to 1,000",
      gates: [-1000, -104, -89, -20, -1, 0, 1, 20, 89, 104, 1000],
    },
    { name: "swiGlu keeps the digits of large negative gates", gates: [-30, -25, -40, -35, -28] },
  ].map(({ name, gates }) =>
    agreesWithReference(name, (bench) => {
      const shape = [1, gates.length];
      const [gate, one] = [
        bench.values("gate", gates, shape),
        bench.values(
          "one",
          gates.map(() => 1),
          shape,
        ),
      ];
      return { out: bench.kernels.swiGlu(gate, one), ...bench.kernels.swiGluBackward(one, gate, one) };
    }),
  ),
  ...[1, 3, 6, 45].flatMap((width) =>
    [[0], [4, 0, 4, 4, 2], [3, 1, 3, 0, 0, 2, 3]].map((rows) =>
      agreesWithReference(`gatherRows and scatterAddRows: ${rows.length} of 5 rows of ${width}`, (bench) => {
        const { kernels } = bench;
        const [table, delta] = [bench.floats("table", [5, width]), bench.floats("delta", [rows.length, width])];
        const chosen = bench.ints("rows", rows);
        return { gathered: kernels.gatherRows(table, chosen), scattered: kernels.scatterAddRows(delta, chosen, 5) };
      }),
    ),
  ),
  agreesWithReference("scatterAddRows: 500 additions to one row", (bench) => ({
    out: bench.kernels.scatterAddRows(
      bench.floats("delta", [500, 6]),
      bench.ints("rows", new Int32Array(500).fill(1)),
      2,
    ),
  })),
];
