import { roundsWeights, type AdamWTensors, type GradientPlace, type Tensor } from "../../contract.ts";
import { agreesWithReference, type KernelCase } from "./kernel-case.ts";
import { beta2 } from "./optimizer-cases.ts";
import type { Bench } from "./bench.ts";

const shapes: readonly (readonly number[])[] = [[33, 31], [7], [3, 5], [1], [16, 64], [2]];
const step = { learningRate: 0.125, beta1: 0.9, beta2, epsilon: 1e-8, weightDecay: 0.1 };

function model({ kernels }: Bench): AdamWTensors[] {
  const all = [kernels.together(shapes), ...[1, 2, 3].map(() => kernels.together(shapes, "full"))] as const;
  const masters = roundsWeights(kernels.dtype) ? kernels.together(shapes, "full") : null;
  return shapes.map((_, i) => {
    const [param, grad, first, second] = all.map((list) => list[i]) as [Tensor, Tensor, Tensor, Tensor];
    return { param, grad, first, second, ...(masters && { master: masters[i] as Tensor }) };
  });
}

function fill(bench: Bench, tensors: readonly AdamWTensors[], pass = 0): void {
  const { kernels } = bench;
  for (const [i, { param, grad, master }] of tensors.entries()) {
    if (pass === 0) kernels.assign([param], [bench.floats(`param ${i}`, param.shape)]);
    if (pass === 0 && master) kernels.assign([master], [param]);
    kernels.assign([grad], [bench.full(`grad ${pass} ${i}`, param.shape)]);
  }
}

function named(tensors: readonly AdamWTensors[]): Record<string, Tensor> {
  return Object.fromEntries(
    tensors.flatMap(({ param, first, second }, i) => [
      [`param ${i}`, param],
      [`first ${i}`, first],
      [`second ${i}`, second],
    ]),
  );
}

function entries(name: string, tensors: readonly Tensor[]): Record<string, Tensor> {
  return Object.fromEntries(tensors.map((tensor, i) => [`${name} ${i}`, tensor]));
}

const listCases: readonly KernelCase[] = [
  agreesWithReference("together: each piece keeps its values when its neighbours change", (bench) => {
    const { kernels } = bench;
    const pieces = kernels.together(shapes);
    const zeros = entries(
      "zeros",
      pieces.slice(4).map((piece) => kernels.copy(piece)),
    );
    pieces.forEach((piece, i) => kernels.assign([piece], [bench.floats(`piece ${i}`, piece.shape)]));
    kernels.accumulate(pieces[1] as Tensor, bench.floats("more", [7]));
    const copies = kernels.together(shapes);
    kernels.assign(copies, pieces);
    kernels.accumulate(pieces[3] as Tensor, bench.floats("one", [1]));
    return { ...zeros, ...entries("piece", pieces), ...entries("copy", copies) };
  }),
  agreesWithReference("together: a piece outlives the others", (bench) => {
    const { kernels } = bench;
    const [first, second] = kernels.together([[3, 2], [4]], "full") as [Tensor, Tensor];
    kernels.free(first);
    kernels.accumulate(second, bench.full("more", [4]));
    return { second };
  }),
  agreesWithReference("assign: between pieces and separate tensors, and from one precision to the other", (bench) => {
    const { kernels } = bench;
    const pieces = kernels.together(shapes);
    const separate = shapes.map((shape, i) => bench.floats(`x${i}`, shape));
    kernels.assign(pieces, separate);
    const wide = kernels.together(shapes.slice(1, 4), "full");
    kernels.assign(wide, pieces.slice(1, 4));
    const back = shapes.slice(1, 4).map((shape) => kernels.zeros(shape));
    kernels.assign(back, wide);
    return { ...entries("piece", pieces), ...entries("wide", wide), ...entries("back", back) };
  }),
  agreesWithReference("every operation sees a weight as it is after assign", (bench) => {
    const { kernels } = bench;
    const [x, weight] = [bench.floats("x", [3, 6]), bench.state("w", [5, 6])];
    const before = kernels.linear(x, weight);
    kernels.assign([weight], [bench.floats("other", [5, 6])]);
    return { before, after: kernels.linear(x, weight) };
  }),
  agreesWithReference("adamW: three steps of a whole model in one call each", (bench) => {
    const tensors = model(bench);
    for (const pass of [0, 1, 2]) {
      fill(bench, tensors, pass);
      bench.kernels.adamW(tensors, { ...step, step: pass + 1 });
    }
    return named(tensors);
  }),
  agreesWithReference("adamW: tensors outside the list stay unchanged, in any order of the list", (bench) => {
    const tensors = model(bench);
    fill(bench, tensors);
    bench.kernels.adamW(
      [4, 0, 1].map((i) => tensors[i] as AdamWTensors),
      { ...step, step: 1 },
    );
    return named(tensors);
  }),
  agreesWithReference("adamW: pieces, separate tensors and gradients from elsewhere in one list", (bench) => {
    const { kernels } = bench;
    const tensors = model(bench);
    fill(bench, tensors);
    const param = bench.state("apart", [5, 2]);
    const apart = { param, grad: bench.state("apart gradient", [5, 2], "full"), ...bench.moments(param) };
    const mixed = tensors.map((tensor, i) =>
      i === 2 ? { ...tensor, grad: bench.state("other gradient", tensor.param.shape, "full") } : tensor,
    );
    kernels.adamW([...mixed.slice(0, 3), apart, ...mixed.slice(3)], { ...step, step: 1 });
    return { ...named(tensors), apart: param };
  }),
  ...[
    { name: "a smaller norm scales nothing", squares: 4, maxNorm: 2.5 },
    { name: "a larger norm scales to the limit", squares: 100, maxNorm: 2.5 },
    { name: "no limit", squares: 100, maxNorm: Infinity },
    { name: "a norm that is infinite changes nothing", squares: Infinity, maxNorm: 2.5 },
    { name: "a NaN norm changes nothing, without a limit", squares: NaN, maxNorm: Infinity },
  ].map(({ name, squares, maxNorm }) =>
    agreesWithReference(`adamW: ${name}`, (bench) => {
      const tensors = model(bench);
      fill(bench, tensors);
      const clip = { squares: bench.kernels.upload(Float64Array.of(squares), [1], "full"), maxNorm };
      bench.kernels.adamW(tensors, { ...step, step: 1, clip });
      return named(tensors);
    }),
  ),
  agreesWithReference("adamW: a gradient that is not finite changes nothing where its norm says so", (bench) => {
    const tensors = model(bench);
    fill(bench, tensors);
    const { grad } = tensors[2] as AdamWTensors;
    bench.kernels.assign([grad], [bench.kernels.upload(new Float64Array(15).fill(NaN), [3, 5], "full")]);
    const squares = bench.kernels.sumSquares(tensors.map((tensor) => tensor.grad));
    bench.kernels.adamW(tensors, { ...step, step: 1, clip: { squares, maxNorm: 1 } });
    return named(tensors);
  }),
  agreesWithReference("sumSquares: pieces of one allocation, all and some", (bench) => {
    const tensors = model(bench);
    fill(bench, tensors);
    const gradients = tensors.map(({ grad }) => grad);
    return {
      all: bench.kernels.sumSquares(gradients),
      some: bench.kernels.sumSquares([gradients[3], gradients[0], gradients[5]] as Tensor[]),
      none: bench.kernels.sumSquares([]),
    };
  }),
];

const columnCases: readonly KernelCase[] = [
  agreesWithReference("columns: any part of a matrix, and parts joined again", (bench) => {
    const { kernels } = bench;
    const x = bench.floats("x", [5, 12]);
    const parts = [kernels.columns(x, 0, 3), kernels.columns(x, 3, 8), kernels.columns(x, 11, 1)];
    return {
      ...entries("part", parts),
      whole: kernels.joinColumns(parts),
      turned: kernels.joinColumns(parts.toReversed()),
      same: kernels.joinColumns([x]),
      column: kernels.joinColumns([bench.floats("a", [5, 1]), kernels.columns(x, 4, 2)]),
      inner: kernels.columns(kernels.columns(x, 2, 9), 4, 3),
      row: kernels.columns(bench.floats("row", [1, 6]), 2, 3),
      none: kernels.columns(bench.floats("none", [0, 6]), 2, 3),
    };
  }),
  agreesWithReference("columns: every operation takes a part as it takes a matrix", (bench) => {
    const { kernels } = bench;
    const [x, y] = [bench.floats("x", [6, 20]), bench.floats("y", [6, 20])];
    const [a, b] = [kernels.columns(x, 2, 8), kernels.columns(y, 11, 8)];
    const [weight, wide, norm] = [bench.floats("w", [5, 8]), bench.floats("wide", [8, 6]), bench.floats("n", [8])];
    const rows = bench.ints("rows", [3, 0, 3, 5]);
    const positions = bench.ints("positions", [0, 2, 1, 4, 3, 2]);
    const tables = bench.rotaryTables(5, 4);
    const { out, invRms } = kernels.rmsNorm(a, norm, 1e-6);
    const ofNorm = kernels.rmsNormBackward(b, a, norm, invRms);
    const sum = kernels.copy(a);
    kernels.accumulate(sum, b);
    const gathered = kernels.gatherRows(a, rows);
    const onto = kernels.copy(a);
    kernels.linearOnto(onto, kernels.columns(x, 9, 6), wide);
    return {
      copy: kernels.copy(a),
      sum,
      onto,
      gathered,
      reshaped: kernels.reshape(a, [12, 4]),
      added: kernels.add(a, b),
      product: kernels.multiply(a, b),
      scaled: kernels.scaled(a, 0.25),
      linear: kernels.linear(a, weight),
      ...kernels.linearBackward(kernels.columns(y, 3, 5), a, weight, { input: true, weight: true, bias: true }),
      out,
      invRms,
      dNormX: ofNorm.dX,
      dNormWeight: ofNorm.dWeight,
      scattered: kernels.scatterAddRows(kernels.columns(b, 0, 3), positions, 7),
      rotated: kernels.rotary(a, tables, positions, 2),
      turned: kernels.rotary(a, tables, positions, 2, true),
      swiGlu: kernels.swiGlu(a, b),
      ...kernels.swiGluBackward(kernels.columns(y, 0, 8), a, b),
      logits: kernels.headLogits(a, weight),
      squares: kernels.sumSquares([a]),
    };
  }),
  agreesWithReference("columns: attention over queries, keys and values of one product", (bench) => {
    const { kernels } = bench;
    const qkv = bench.floats("qkv", [9, 32]);
    const [q, k, v] = [kernels.columns(qkv, 0, 16), kernels.columns(qkv, 16, 8), kernels.columns(qkv, 24, 8)];
    const shape = { queryHeads: 4, kvHeads: 2, headDim: 4, scale: 0.5 };
    return Object.fromEntries(
      [[9], [4, 5, 0], [3, 3, 3]].flatMap((lengths) => {
        const layout = bench.layout(lengths);
        const { out, logSumExp } = kernels.attention(q, k, v, shape, layout);
        const dOut = kernels.columns(bench.floats(`d ${lengths.join()}`, [9, 20]), 3, 16);
        const { dQ, dK, dV } = kernels.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout);
        const all = { out, logSumExp, d: kernels.joinColumns([dQ, dK, dV]) };
        return Object.entries(all).map(([name, tensor]) => [`${name} ${lengths.join()}`, tensor] as const);
      }),
    );
  }),
  agreesWithReference("linearOnto: adds to the present values", (bench) => {
    const { kernels } = bench;
    const [weight, bias] = [bench.floats("w", [5, 6]), bench.floats("b", [5])];
    const sums = [1, 7, 0].map((rows) => {
      const into = bench.state(`into ${rows}`, [rows, 5]);
      kernels.linearOnto(into, bench.floats(`x ${rows}`, [rows, 6]), weight);
      kernels.linearOnto(into, bench.floats(`y ${rows}`, [rows, 6]), weight, bias);
      return into;
    });
    const whole = kernels.copy(bench.floats("whole", [4, 12]));
    const part = kernels.columns(whole, 3, 5);
    const others = [kernels.columns(whole, 0, 3), kernels.columns(whole, 8, 4)];
    kernels.linearOnto(part, bench.floats("z", [4, 6]), weight, bias);
    return { ...entries("sum", sums), part, ...entries("other", others) };
  }),
];

const placeCases: readonly KernelCase[] = [
  agreesWithReference("gradients go to their places: first replacing, then adding", (bench) => {
    const { kernels } = bench;
    const [dWeight, dBias, dHead, dTable] = kernels.together([[5, 6], [5], [9, 6], [9, 6]], "full") as [
      Tensor,
      Tensor,
      Tensor,
      Tensor,
    ];
    for (const [i, tensor] of [dWeight, dBias, dHead, dTable].entries())
      kernels.assign([tensor], [bench.full(`stale ${i}`, tensor.shape)]);
    const put = ({ tensor, add }: GradientPlace, returned: Tensor | undefined): void => {
      if (!returned) return;
      if (add) kernels.accumulate(tensor, returned);
      else kernels.assign([tensor], [returned]);
    };
    const results: Record<string, Tensor> = {};
    for (const [pass, rows] of [7, 33, 1, 0].entries()) {
      const place = (tensor: Tensor): GradientPlace => ({ tensor, add: pass > 0 });
      const [x, dOut] = [bench.floats(`x ${pass}`, [rows, 6]), bench.floats(`d ${pass}`, [rows, 5])];
      const into = { dWeight: place(dWeight), dBias: place(dBias) };
      const needs = { input: true, weight: true, bias: true };
      const linear = kernels.linearBackward(dOut, x, bench.floats("w", [5, 6]), needs, into);
      put(into.dWeight, linear.dWeight);
      put(into.dBias, linear.dBias);
      const weight = bench.floats("head", [9, 6]);
      const targets = bench.ints(
        `targets ${pass}`,
        Array.from({ length: rows }, (_, i) => (5 * i) % 9),
      );
      const inverseTemperature = bench.fullValues(`beta ${pass}`, new Array<number>(rows).fill(0.5));
      const { logSumExp } = kernels.headLogProbs(x, weight, targets, inverseTemperature);
      const head = kernels.headLogProbsBackward(
        bench.full(`dLogProbs ${pass}`, [rows]),
        { hidden: x, weight, targets, inverseTemperature, logSumExp },
        { weight: true },
        { dWeight: place(dHead) },
      );
      put(place(dHead), head.dWeight);
      kernels.placeRows(place(dTable), x, targets);
      results[`dX ${pass}`] = linear.dX as Tensor;
      results[`dHidden ${pass}`] = head.dHidden;
    }
    return { ...results, dWeight, dBias, dHead, dTable };
  }),
];

export const pieceCases: readonly KernelCase[] = [...listCases, ...columnCases, ...placeCases];
