import { LaconicError, type LaconicErrorCode } from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";
import type { Kernels, Tensor } from "../../contract.ts";
import { createReferenceKernels } from "../reference-kernels.ts";
import { Bench } from "./bench.ts";

/** Test of a kernel set. `create` may return the same set for every case. */
export type KernelCase = ConformanceCase<Kernels>;

/** Max error relative to a tensor's largest magnitude. */
export const tolerances: Readonly<Record<Kernels["dtype"], number>> = {
  float64: 1e-12,
  float32: 4e-6,
  bfloat16: 3e-2,
};

type Numbers = Float64Array | Float32Array | Int32Array;

/**
 * The device gives the reference's numbers, leaves inputs unchanged, and leaks no tensor.
 * @param compute - returns the tensors to compare, by name
 * @param conditioning - amplification of rounding errors
 */
export function agreesWithReference(
  name: string,
  compute: (bench: Bench) => Readonly<Record<string, Tensor>>,
  conditioning = 1,
): KernelCase {
  return {
    name,
    async run(create) {
      const kernels = await create();
      const expected = await results(createReferenceKernels(), compute);
      const actual = await results(kernels, compute);
      const [names, got] = [expected, actual].map((values) => Object.keys(values).toSorted().join());
      expectThat(names === got, `results ${names}, got ${got}`);
      for (const [key, value] of Object.entries(actual))
        expectClose(key, value, expected[key] as Numbers, conditioning * tolerances[kernels.dtype]);
    },
  };
}

async function results(
  kernels: Kernels,
  compute: (bench: Bench) => Readonly<Record<string, Tensor>>,
): Promise<Record<string, Numbers>> {
  const before = kernels.liveTensors();
  const bench = new Bench(kernels);
  const { inputs, outputs } = kernels.scope(() => {
    const computed = compute(bench);
    return { inputs: bench.inputs.map(({ tensor }) => tensor), outputs: computed };
  });
  const values: Record<string, Numbers> = {};
  for (const [key, tensor] of Object.entries(outputs)) values[key] = await kernels.read(tensor);
  for (const { label, tensor, values: sent } of bench.inputs)
    expectSame(`input ${label} after the call`, await kernels.read(tensor), sent);
  kernels.free(...new Set([...inputs, ...Object.values(outputs)]));
  expectThat(kernels.liveTensors() === before, `${before} live tensors afterwards, got ${kernels.liveTensors()}`);
  return values;
}

/** Throws unless elements agree to `tolerance` times the largest expected magnitude. */
export function expectClose(what: string, actual: Numbers, expected: Numbers, tolerance: number): void {
  if (expected instanceof Int32Array) return expectSame(what, actual, expected);
  expectThat(actual.length === expected.length, `${what} to have ${expected.length} elements, got ${actual.length}`);
  const values = Array.from(expected);
  const margin = tolerance * (Math.max(0, ...values.map(Math.abs)) || 1);
  values.forEach((value, i) => {
    const got = actual[i] as number;
    expectThat(Math.abs(got - value) <= margin, `${what}[${i}] to be ${value} within ${margin}, got ${got}`);
  });
}

export function expectSame(what: string, actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expectThat(actual.length === expected.length, `${what} to have ${expected.length} elements, got ${actual.length}`);
  for (let i = 0; i < expected.length; i++)
    expectThat(actual[i] === expected[i], `${what}[${i}] to be ${expected[i]}, got ${actual[i]}`);
}

export function expectRefusal(what: string, code: LaconicErrorCode, body: () => unknown): void {
  let thrown: unknown;
  try {
    body();
  } catch (error) {
    thrown = error;
  }
  expectThat(LaconicError.is(thrown) && thrown.code === code, `${what} to throw "${code}", got ${String(thrown)}`);
}
