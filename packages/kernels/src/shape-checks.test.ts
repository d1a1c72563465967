import { expect, test } from "vitest";
import { expectFilled, expectSampling, rangeOf } from "./shape-checks.ts";
import { TensorScopes } from "./tensor-scopes.ts";

test("values have to fill a shape", () => {
  expectFilled([1, 2], [2, 1], "upload");
  expectFilled([], [0, 3], "upload");
  expect(() => expectFilled([1, 2], [3], "upload")).toThrow("upload: 2 values do not fill shape [3]");
});

test("sampling takes one value of each setting for each row", () => {
  const floats = (length: number) => new Float32Array(length);
  const logits = { shape: [2, 5], dtype: "float" as const };
  const settings = {
    temperature: floats(2),
    topK: new Int32Array(2),
    topP: floats(2),
    minP: floats(2),
    uniform: floats(2),
  };
  expect(expectSampling(logits, settings)).toEqual([2, 5]);
  const short = { ...settings, minP: floats(1) };
  expect(() => expectSampling(logits, short)).toThrow("minP has 1 entries for 2 rows");
  expect(() => expectSampling({ ...logits, dtype: "int32" }, settings)).toThrow("expected float [2, 5], got int32");
});

test("the range of indices", () => {
  expect(rangeOf(Int32Array.of(3, -1, 7))).toEqual([-1, 7]);
  expect(rangeOf(Int32Array.of(4, 4))).toEqual([4, 4]);
  expect(rangeOf(Int32Array.of())).toEqual([0, 0]);
});

test("the lifetime of a kernel set's tensors is that of its scopes", () => {
  const freed: number[] = [];
  const scopes = new TensorScopes<{ readonly shape: readonly number[]; readonly dtype: "float" }>((tensor) =>
    freed.push(tensor.shape[0] as number),
  );
  const { scope, keep, free } = scopes.kernels();
  const make = (length: number) => scopes.adopt({ shape: [length], dtype: "float" });
  const [kept, returned] = scope(() => {
    make(1);
    return [keep(make(2)), make(3)] as const;
  });
  expect(freed).toEqual([1]);
  free(kept, returned);
  expect(freed).toEqual([1, 2, 3]);
  expect(scopes.count).toBe(0);
});
