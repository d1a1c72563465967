import type { Kernels } from "@laconic/engine/kernels";
import { findTorch } from "@laconic/kernels-torch";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { describe, expect, test } from "vitest";
import { loadLibrary } from "../src/native/library.ts";
import { Torch } from "../src/native/torch.ts";
import { torchKernelSet } from "../src/torch-kernels.ts";
import { installedTorch } from "./installed-torch.ts";

const match = installedTorch();
const missing = "missing" in match;

function create(oneDnnFrom: number): Kernels {
  const folder = missing ? "" : match.install.folder;
  const library = loadLibrary(findTorch({ LACONIC_TORCH: folder }), { device: "cpu", tf32: false });
  return torchKernelSet(new Torch(library, "cpu"), "float32", { attention: "fused", oneDnnFrom });
}

describe.skipIf(missing)("products by oneDNN", () => {
  for (const item of kernelCases.filter(({ name }) => /linear/iu.test(name)))
    test(item.name, () => item.run(() => create(0)));
});

test.skipIf(missing)("equals a separate matrix for columns of a wider matrix", async () => {
  const kernels = create(0);
  const [rows, inner, outer] = [70, 48, 40];
  const numbers = (length: number, seed: number): Float32Array =>
    Float32Array.from({ length }, (_, i) => Math.sin(seed + 1.7 * i));
  const wide = numbers(rows * (inner + 8), 1);
  const own = wide.filter((_, i) => i % (inner + 8) < inner);
  const weight = kernels.upload(numbers(outer * inner, 2), [outer, inner]);
  const [part, whole] = [
    kernels.columns(kernels.upload(wide, [rows, inner + 8]), 0, inner),
    kernels.upload(own, [rows, inner]),
  ];
  const [strided, apart] = await Promise.all([part, whole].map((x) => kernels.read(kernels.linear(x, weight))));
  expect(strided).toHaveLength(rows * outer);
  strided?.forEach((value, i) => expect(value).toBeCloseTo(apart?.[i] as number, 4));
  kernels.dispose();
});
