import { findTorch } from "@laconic/kernels-torch";
import type { Kernels } from "@laconic/engine/kernels";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { describe, expect, test } from "vitest";
import { LaconicError } from "@laconic/core";
import { chooseKernels } from "../src/choose-kernels.ts";
import type { WideProduct } from "../src/native/cuda-products.ts";
import { loadLibrary } from "../src/native/library.ts";
import { cudaCompiler } from "../src/programs/compile.ts";
import { source } from "../src/programs/source.ts";
import { programGroups, torchKernelSet, type ProgramGroup } from "../src/torch-kernels.ts";
import { emulatedGpu, type EmulatedGpu } from "./emulated-gpu.ts";
import { installedTorch } from "./installed-torch.ts";
import { PretendGpu } from "./pretend-gpu.ts";

const found = installedTorch();
const gpu = emulatedGpu();
const ours = /swiGlu|rotary|rotateBack|addNorm|norm|head|tempera|^linear|^attention(?! with)/i;

describe.skipIf("missing" in found || gpu === null)("our own kernels for CUDA, as C++ on the processor", () => {
  const torch = (emulated = gpu as EmulatedGpu): PretendGpu => {
    const { install } = found as Exclude<typeof found, { readonly missing: string }>;
    return new PretendGpu(loadLibrary(install, { device: "cpu", tf32: false, threads: 1 }), emulated);
  };
  const set = (headBytes?: number): Kernels =>
    torchKernelSet(torch(), "bfloat16", {
      attention: "fused",
      normBackward: "composed",
      programs: programGroups,
      ...(headBytes !== undefined && { headBytes }),
    });

  let whole: Kernels | undefined;
  // Fibers and loops are slow: not the one of thousands of rows.
  const cases = kernelCases.filter(({ name }) => ours.test(name) && !/4,300|3,000|pages|cache/.test(name));
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

  test("all of them pass the check at the start", async () => {
    const kernels = await chooseKernels(torch(), "bfloat16");
    expect(kernels.backend).toMatch(new RegExp(`own ${programGroups.join(", ")}$`, "u"));
    const plain = await chooseKernels(torch(), "bfloat16", { programs: false });
    expect(plain.backend).not.toContain("own");
  });

  const faults: readonly (readonly [group: ProgramGroup, program: string])[] = [
    ["elementwise", "rotate_back_and_join_8"],
    ["norms", "sum_parts"],
    ["head", "head_gradient"],
    ["trees", "add_rows"],
  ];
  test.each(faults)("what a card computes otherwise is left out by name: %s, for %s", async (group, program) => {
    const sound = gpu as EmulatedGpu;
    const faulty: EmulatedGpu = {
      ...sound,
      // Twice where once is right, or not at all.
      launch: (name, ...rest) => {
        if (name !== program) sound.launch(name, ...rest);
        else if (program === "add_rows") for (let time = 0; time < 2; time++) sound.launch(name, ...rest);
      },
    };
    const { backend } = await chooseKernels(torch(faulty), "bfloat16");
    const others = programGroups.filter((each) => each !== group);
    expect(backend).toMatch(
      new RegExp(`own ${others.join(", ")}; not own ${group} \\(number \\d+ of result \\d+ is `, "u"),
    );
  });

  test("so are products that add up wrongly, and what cannot be started", async () => {
    const sound = gpu as EmulatedGpu;
    const forgetful = { ...sound, enqueue: (product: WideProduct) => sound.enqueue({ ...product, add: false }, 0) };
    expect((await chooseKernels(torch(forgetful), "bfloat16")).backend).toContain("; not own sums (number ");
    const refusing: EmulatedGpu = {
      ...sound,
      launch: () => {
        throw new LaconicError("engine_failed", "CUDA cannot launch it (error 209)");
      },
    };
    const { backend } = await chooseKernels(torch(refusing), "bfloat16");
    expect(backend).toContain("own sums; not own elementwise (CUDA cannot launch it (error 209)), norms (");
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
