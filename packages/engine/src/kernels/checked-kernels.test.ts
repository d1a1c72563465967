import { expect, test } from "vitest";
import { checkedKernels } from "./checked-kernels.ts";
import { createReferenceKernels } from "./testing/reference-kernels.ts";

const reached: string[] = [];
/** A set that computes nothing: what it is called with has passed the checks. */
const kernels = checkedKernels(
  Object.fromEntries(
    Object.keys(createReferenceKernels()).map((name) => [name, (): unknown => reached.push(name)]),
  ) as never,
);
const floats = (...shape: number[]) => ({ shape, dtype: "float" as const });
const ints = (...shape: number[]) => ({ shape, dtype: "int32" as const });

test("values have to fill a shape", () => {
  kernels.upload(new Float32Array(2), [2, 1]);
  kernels.upload(new Float32Array(0), [0, 3]);
  expect(() => kernels.upload(new Float32Array(2), [3])).toThrow("upload: 2 values do not fill shape [3]");
  expect(() => kernels.reshape(floats(2, 3), [4])).toThrow("reshape: 6 values do not fill shape [4]");
});

test("sampling takes one value of each setting for each row", () => {
  const values = (length: number) => new Float32Array(length);
  const settings = {
    temperature: values(2),
    topK: new Int32Array(2),
    topP: values(2),
    minP: values(2),
    uniform: values(2),
  };
  kernels.sampleTokens(floats(2, 5), settings);
  const short = { ...settings, minP: values(1) };
  expect(() => kernels.sampleTokens(floats(2, 5), short)).toThrow("minP has 1 entries for 2 rows");
  expect(() => kernels.sampleTokens(ints(2, 5), settings)).toThrow("expected a matrix of floats, got int32 [2, 5]");
});

test("a refused call does not reach the set", () => {
  reached.length = 0;
  const tensor = floats(4, 3);
  const into = { dWeight: { tensor, add: false } };
  const needs = { input: false, weight: true, bias: false };
  for (const call of [
    () => kernels.columns(floats(2, 3), 1, 3),
    () => kernels.joinColumns([floats(2, 3), floats(3, 3)]),
    () => kernels.assign([floats(2)], []),
    () => kernels.linearBackward(floats(2, 5), floats(2, 3), floats(5, 3), needs, into),
    () => kernels.placeRows({ tensor, add: true }, floats(2, 3), ints(3)),
    () => kernels.scatterAddRows(floats(3, 2), ints(2), 5),
    () => kernels.advance(floats(2), 1),
    () => kernels.tokenLogProbs(floats(2, 5), ints(2), 6),
  ])
    expect(call).toThrow(expect.objectContaining({ code: "input_invalid" }));
  expect(reached).toEqual([]);
  kernels.columns(floats(2, 3), 1, 2);
  kernels.linearBackward(floats(2, 4), floats(2, 3), floats(4, 3), needs, into);
  expect(reached).toEqual(["columns", "linearBackward"]);
});
