import { expect, test } from "vitest";
import { rangeOf } from "./shape-checks.ts";
import { TensorScopes } from "./tensor-scopes.ts";

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
