import { randomFromSeed } from "@laconic/core";
import { kernelSampling } from "@laconic/core/backends";
import type { Kernels, SamplingOnDevice, SamplingRows, Tensor } from "../../contract.ts";
import { packSampling } from "../../pack-sampling.ts";
import { agreesWithReference, expectClose, expectRefusal, expectSame, tolerances } from "./kernel-case.ts";
import type { KernelCase } from "./kernel-case.ts";

const vocabulary = 300;

function randomRows(
  count: number,
  draws: number,
  label: string,
): Omit<SamplingRows, "uniform"> & { uniforms: Float32Array } {
  const random = randomFromSeed(label);
  const pick = (values: readonly number[]): number => values[random.integer(values.length)] as number;
  const floats = (values: readonly number[]): Float32Array => Float32Array.from({ length: count }, () => pick(values));
  return {
    temperature: floats([1, 0, 0.75, 1.5]),
    topK: Int32Array.from({ length: count }, () => pick([0, 0, 7, 50, 400])),
    topP: floats([1, 1, 0.9, 0.5]),
    minP: floats([0, 0, 0.05]),
    uniforms: Float32Array.from({ length: count * draws }, () => random.uniform()),
  };
}

function onDevice(kernels: Kernels, rows: ReturnType<typeof randomRows>, column: number): SamplingOnDevice {
  const { settings, kind } = packSampling(rows);
  const count = rows.temperature.length;
  const width = rows.uniforms.length / count;
  return {
    settings: kernels.upload(settings, [count, kernelSampling.length], "full"),
    uniforms: kernels.upload(rows.uniforms, [count, width], "full"),
    column,
    kind,
  };
}

function randomLogits(kernels: Kernels, rows: number): Tensor {
  const random = randomFromSeed("logits");
  const values = Float64Array.from({ length: rows * vocabulary }, () => (random.integer(511) - 255) / 64);
  return kernels.upload(values, [rows, vocabulary], "full");
}

export const decodeStateCases: readonly KernelCase[] = [
  {
    name: "sampling from settings on the device draws what it draws from the host's, column by column",
    async run(create) {
      const kernels = await create();
      const [count, draws] = [40, 3];
      const rows = randomRows(count, draws, "device settings");
      for (let column = 0; column < draws; column++) {
        const uniform = Float32Array.from({ length: count }, (_, b) => rows.uniforms[b * draws + column] as number);
        const [host, device] = kernels.scope(() => {
          const logits = randomLogits(kernels, count);
          const { uniforms: _, ...settings } = rows;
          return [
            kernels.sampleTokens(logits, { ...settings, uniform }),
            kernels.sampleTokens(logits, onDevice(kernels, rows, column)),
          ] as const;
        });
        const [expected, got] = [await kernels.read(host.tokens), await kernels.read(device.tokens)];
        expectSame(`tokens of column ${column}`, got, expected);
        const logProbs = await kernels.read(device.logProbs);
        expectClose("log-probs", logProbs, await kernels.read(host.logProbs), tolerances[kernels.dtype]);
        kernels.free(host.tokens, host.logProbs, device.tokens, device.logProbs);
      }
    },
  },
  agreesWithReference("sampling: 64 rows of 300 tokens with settings on the device", ({ kernels }) =>
    kernels.sampleTokens(randomLogits(kernels, 64), onDevice(kernels, randomRows(64, 2, "64"), 1)),
  ),
  agreesWithReference(
    "sampling: top-p alone, where a few tokens reach it and where thousands are needed",
    ({ kernels }) => {
      const wide = 2500;
      // Nearly equal shares, and one row with a likely token.
      const logits = Float64Array.from({ length: 3 * wide }, (_, i) => (i === 7 ? 12 : ((i * 37) % 101) / 2048));
      return kernels.sampleTokens(kernels.upload(logits, [3, wide], "full"), {
        temperature: new Float32Array(3).fill(1),
        topK: Int32Array.of(0, 0, 0),
        topP: Float32Array.of(0.9, 0.9, 0.25),
        minP: new Float32Array(3),
        uniform: Float32Array.of(0.3, 0.71, 0.5),
      });
    },
  ),
  agreesWithReference("rows of matrices and vectors are picked by number, of any type", (bench) => {
    const tensor = bench.ints("rows", [2, 0, 2]);
    return {
      floats: bench.kernels.pickRows(bench.floats("matrix", [3, 5]), tensor),
      full: bench.kernels.pickRows(bench.full("vector", [4]), tensor),
      ints: bench.kernels.pickRows(bench.ints("numbers", [5, 6, 7]), tensor),
      none: bench.kernels.pickRows(bench.floats("matrix", [3, 5]), bench.ints("no rows", [])),
    };
  }),
  agreesWithReference("rows are written to their places, and the others stay unchanged", (bench) => {
    const { kernels } = bench;
    const [matrix, vector] = [bench.state("matrix", [4, 3]), bench.state("vector", [4])];
    const numbers = kernels.upload(Int32Array.of(1, 2, 3, 4), [4]);
    const tensor = bench.ints("rows", [3, 1]);
    kernels.writeRows(matrix, tensor, bench.floats("values", [2, 3]));
    kernels.writeRows(vector, tensor, bench.floats("more", [2]));
    kernels.writeRows(numbers, tensor, bench.ints("new", [40, 20]));
    kernels.writeRows(vector, bench.ints("none", []), bench.floats("nothing", [0]));
    return { matrix, vector, numbers };
  }),
  agreesWithReference("positions advance in place, and derived values are recomputed", (bench) => {
    const { kernels } = bench;
    const positions = kernels.upload(Int32Array.of(0, 3, 1), [3]);
    const table = bench.floats("table", [8, 4]);
    const before = kernels.gatherRows(table, positions);
    kernels.advance(positions, 1);
    const after = kernels.gatherRows(table, positions);
    kernels.advance(positions, 3);
    return { before, after, later: kernels.gatherRows(table, positions), positions };
  }),
  {
    name: "rows that do not exist are refused before anything is written",
    async run(create) {
      const kernels = await create();
      kernels.scope(() => {
        const ints = (...values: number[]): Tensor => kernels.upload(Int32Array.from(values), [values.length]);
        const [numbers, outside, first, value] = [ints(1, 2), ints(2), ints(0), ints(9)];
        const floats = kernels.upload(Float32Array.of(1), [1]);
        const refused = (what: string, run: () => unknown): void => expectRefusal(what, "input_invalid", run);
        refused("picking row 2 of 2", () => kernels.pickRows(numbers, outside));
        refused("writing row 2 of 2", () => kernels.writeRows(numbers, outside, value));
        refused("floats among integers", () => kernels.writeRows(numbers, first, floats));
        refused("advancing floats", () => kernels.advance(floats, 1));
        kernels.advance(numbers, 5);
        const table = kernels.upload(new Float32Array(4), [4, 1]);
        refused("positions advanced beyond a table", () => kernels.gatherRows(table, numbers));
      });
    },
  },
];
