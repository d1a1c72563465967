import { findTorch } from "@laconic/kernels-torch";
import type { Kernels } from "@laconic/kernels";
import { kernelCases } from "@laconic/kernels/testing";
import { describe, expect, test } from "vitest";
import { loadLibrary, type Library } from "../src/native/library.ts";
import { CudaStreams } from "../src/native/cuda-streams.ts";
import { Torch } from "../src/native/torch.ts";
import { cudaCompiler } from "../src/programs/compile.ts";
import { source } from "../src/programs/source.ts";
import { torchKernelSet } from "../src/torch-kernels.ts";
import { emulatedGpu } from "./emulated-gpu.ts";
import { installedTorch } from "./installed-torch.ts";

const found = installedTorch();
const gpu = emulatedGpu();
const ours = /swiGlu|rotary|head|tempera/i;

describe.skipIf("missing" in found || gpu === null)("our programs, as C++ on the processor", () => {
  const set = (headBytes?: number): Kernels => {
    const { install } = found as Exclude<typeof found, { readonly missing: string }>;
    const library: Library = {
      ...loadLibrary(install, { device: "cpu", tf32: false, threads: 1 }),
      streams: new CudaStreams({ currentStream: () => 0, setCurrentStream: null, streamFromPool: null }, 0),
      launcher: () => gpu,
    };
    const choices = { attention: "fused", programs: true, ...(headBytes !== undefined && { headBytes }) } as const;
    return torchKernelSet(new Torch(library, "cpu"), "bfloat16", choices);
  };

  let whole: Kernels | undefined;
  // Fibers are slow: not the one of thousands of rows.
  const cases = kernelCases.filter(({ name }) => ours.test(name) && !name.includes("4,300"));
  for (const item of cases) test(item.name, () => item.run(async () => (whole ??= set())));

  // Tiles of a few columns: what one leaves goes together with what the next one finds.
  let tiled: Kernels | undefined;
  for (const item of cases.filter(({ name }) => /^headLogProbs.* (?:1|3|7) rows/.test(name)))
    test(`${item.name}, in small tiles`, () => item.run(async () => (tiled ??= set(2 ** 13))));

  test("every program ran", () => {
    const programs = [...source.matchAll(/__global__ void (\w+)\(/g)].map(([, name]) => String(name));
    const both = [...source.matchAll(/^BOTH\((\w+),/gm)].flatMap(([, name]) => [`${name}_1`, `${name}_8`]);
    expect([...(gpu?.launched ?? [])].toSorted()).toEqual([...programs, ...both].toSorted());
  });
});

/** A Python whose PyTorch is built for CUDA. */
const python = process.env["LACONIC_CUDA_PYTHON"];

describe.skipIf(python === undefined)("NVIDIA's compiler", () => {
  const compiler = (): NonNullable<ReturnType<typeof cudaCompiler>> => {
    const made = cudaCompiler(findTorch({ LACONIC_PYTHON: String(python) }));
    if (!made) throw new Error(`${python} has no NVRTC`);
    return made;
  };

  test.each(["sm_80", "sm_90", "sm_100", "sm_120"])("takes our programs for %s", (architecture) => {
    expect(compiler().compile(source, architecture).length).toBeGreaterThan(1000);
  });

  test("says what is wrong with a program", () => {
    expect(() => compiler().compile("__global__ void f() { nothing(); }", "sm_90")).toThrow(
      /NVRTC cannot compile for sm_90 \(error \d+\)[^]*nothing/,
    );
  });
});
