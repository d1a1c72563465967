import type { CreateKernels } from "@laconic/engine/kernels";
import { createKernels as createWasm } from "@laconic/engine/wasm";
import { expect, test } from "vitest";
import { tryDevice } from "./try-device.ts";

/** The module of a device whose library lacks one operator, which it counts as replies ask for it. */
export const createKernels: CreateKernels = async (options) => {
  const kernels = await createWasm({});
  let calls = 0;
  const { sampleTokens } = kernels;
  return {
    ...kernels,
    sampleTokens: (...args) => {
      calls += 1;
      return sampleTokens(...args);
    },
    ...(options?.["counts"] === true && {
      fallbacks: () => (options["lacks"] === true ? { "aten::sort": calls } : {}),
    }),
  };
};

test.each([
  [{}, /^wasm simd$/u],
  [{ counts: true }, /; every operator of a reply on the device$/u],
  [{ counts: true, lacks: true }, /; on the processor: aten::sort \([3-9] calls\)$/u],
] as const)("the calls that a device of %o leaves to the processor are named", async (options, detail) => {
  const outcome = await tryDevice({ device: "test", module: import.meta.url, options });
  expect(outcome).toEqual({ works: true, detail: expect.stringMatching(detail) as string });
});
