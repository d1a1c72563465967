import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInlineEngine } from "@laconic/engine";
import { engineCases } from "@laconic/engine/testing";
import type { Kernels } from "@laconic/engine/kernels";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { describe, expect, test } from "vitest";
import { chooseKernels } from "../src/create-kernels.ts";
import { loadLibrary } from "../src/native/library.ts";
import { processorOperators } from "../src/native/mps-operators.ts";
import { scalarType } from "../src/native/scalar-type.ts";
import { isAskedOfMps, operatorRegistry } from "../src/testing/operator-registry.ts";
import { installedTorch } from "./installed-torch.ts";
import { pretendMps, type PretendMps } from "./pretend-mps.ts";

const match = installedTorch();
const registryFile =
  "missing" in match ? "" : join(match.install.folder, "../torchgen/packaged/ATen/native/native_functions.yaml");
const without = !existsSync(registryFile);
const placeOf = without ? (): "unknown" => "unknown" : operatorRegistry(readFileSync(registryFile, "utf8"), "MPS");
/** By the registry of the wheel that is installed here, whose kernels for MPS only a Mac has. */
const isAbsent = (name: string): boolean => ["absent", "unknown"].includes(placeOf(name.replace("aten::", "")));

function pretend(lacks: (name: string) => boolean): PretendMps {
  if ("missing" in match) throw new Error(match.missing);
  return pretendMps(loadLibrary(match.install, { device: "cpu", tf32: false, threads: 1 }), lacks);
}

describe.skipIf(without).each(["float32", "bfloat16"] as const)("kernels in MPS mode, %s", (dtype) => {
  let mps: PretendMps | null = null;
  let kernels: Promise<Kernels> | null = null;
  const create = (): Promise<Kernels> =>
    (kernels ??= chooseKernels((mps ??= pretend(isAbsent)).torch, dtype).then((set) => set));
  for (const item of kernelCases) test(item.name, () => item.run(create));
  test("calls only operators with a registered kernel and never falls back", async () => {
    const asked = [...(mps as PretendMps).asked];
    expect(asked.length).toBeGreaterThan(30);
    expect(asked.filter((name) => !isAskedOfMps(name))).toEqual([]);
    expect((await create()).fallbacks?.()).toEqual({});
  });
});

describe.skipIf(without)("an engine in MPS mode", () => {
  for (const item of engineCases)
    test(item.name, () =>
      item.run(async () => createInlineEngine([await chooseKernels(pretend(isAbsent).torch, "float32")])),
    );
});

describe.skipIf(without)("names an MPS that lacks operators", () => {
  let kernels: Promise<Kernels> | null = null;
  const create = (): Promise<Kernels> =>
    (kernels ??= chooseKernels(pretend((name) => processorOperators.has(name)).torch, "float32"));
  for (const item of kernelCases.filter(({ name }) => /sampl|cache|log-prob/iu.test(name)))
    test(item.name, () => item.run(create));
  test("counts each fallback by name", async () => {
    const counts = (await create()).fallbacks?.() ?? {};
    expect(Object.keys(counts).filter((name) => !processorOperators.has(name))).toEqual([]);
    expect(counts["aten::searchsorted.Tensor"]).toBeGreaterThan(1);
    expect(counts["aten::index_copy_"]).toBeGreaterThan(1);
  });
});

test.skipIf(without)("rejects an operator without a CPU fallback by name", async () => {
  const kernels = await chooseKernels(pretend((name) => name === "aten::silu").torch, "float32");
  const [a, b] = [0, 1].map((value) => kernels.upload(Float32Array.of(value, 2), [1, 2])) as [never, never];
  expect(() => kernels.swiGlu(a, b)).toFailWith("device_unavailable", "MPS lacks aten::silu");
});

test.skipIf(without)("rejects float64", () => {
  const { torch } = pretend(() => false);
  expect(() => torch.run(() => torch.full([1], scalarType.float64, 1))).toThrow("MPS does not support float64");
  expect(() => torch.run(() => torch.cast(torch.full([1], scalarType.float32, 1), scalarType.float64))).toThrow(
    "MPS does not support float64",
  );
  expect(() => torch.run(() => torch.upload(new Float64Array(1), [1]))).toThrow("MPS does not support float64");
});
