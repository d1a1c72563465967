import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemOf } from "@laconic/core/platform";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { findTorch } from "./torch-install.ts";
import { cudaNames, nvidiaLibraries } from "./nvidia-libraries.ts";

async function withPackages(body: (packages: string) => Promise<void>): Promise<void> {
  const packages = await temporaryFolder();
  await mkdir(join(packages, "torch", "lib"), { recursive: true });
  await writeFile(join(packages, "torch", "lib", "libtorch_cpu.so"), "");
  await writeFile(join(packages, "torch", "version.py"), "__version__ = '2.11.0+cu130'\ndebug = False\n");
  await body(packages);
}

test("LACONIC_TORCH may name the package, the folder above it, or its lib", () =>
  withPackages(async (packages) => {
    const folder = join(packages, "torch");
    for (const input of [folder, packages, join(folder, "lib")])
      expect(findTorch({ LACONIC_TORCH: input })).toEqual({
        folder,
        libraries: join(folder, "lib"),
        version: "2.11.0+cu130",
        cuda: false,
      });
    await writeFile(join(folder, "lib", "libtorch_cuda.so"), "");
    expect(findTorch({ LACONIC_TORCH: folder }).cuda).toBe(true);
  }));

test("a LACONIC_TORCH without the libraries is an error that names it", () => {
  expect(() => findTorch({ LACONIC_TORCH: "/nowhere" })).toThrow(/LACONIC_TORCH: .* not found in \/nowhere/);
});

test("a PyTorch of another system is not taken, and the error says which one is needed", () =>
  withPackages(async (packages) => {
    const systems = ["linux", "darwin", "win32"].map(systemOf);
    const names = systems.map((system) => system.library("torch_cpu"));
    expect(names).toEqual(["libtorch_cpu.so", "libtorch_cpu.dylib", "torch_cpu.dll"]);
    const lib = join(packages, "torch", "lib");
    let last = join(lib, "libtorch_cpu.so");
    for (const [i, name] of names.entries()) {
      await rename(last, join(lib, name));
      last = join(lib, name);
      expect(findTorch({ LACONIC_TORCH: packages }, systems[i]).libraries).toBe(lib);
      for (const other of systems.filter((_, j) => j !== i))
        expect(() => findTorch({ LACONIC_TORCH: packages }, other)).toThrow(
          `${other.library("torch_cpu")} of PyTorch for ${other.title}`,
        );
    }
  }));

test("the active environment's folder of packages is searched where each system has it", async () => {
  const prefix = await temporaryFolder();
  for (const [name, below] of [
    ["win32", "Lib/site-packages/torch"],
    ["darwin", "lib/python3.12/site-packages/torch"],
  ] as const) {
    const system = systemOf(name);
    await mkdir(join(prefix, below, "lib"), { recursive: true });
    await writeFile(join(prefix, below, "lib", system.library("torch_cpu")), "");
    expect(findTorch({ CONDA_PREFIX: prefix }, system).folder).toBe(join(prefix, below));
  }
});

test("CUDA's parts on Windows are PyTorch's own files", () =>
  withPackages(async (packages) => {
    const lib = join(packages, "torch", "lib");
    for (const name of [
      "torch_cpu.dll",
      "torch_cuda.dll",
      "cudart64_13.dll",
      "nvrtc64_130_0.dll",
      "nvrtc-builtins64_130.dll",
    ])
      await writeFile(join(lib, name), "");
    const system = systemOf("win32");
    const install = findTorch({ LACONIC_TORCH: packages }, system);
    expect(install.cuda).toBe(true);
    expect(cudaNames(install, system)).toEqual([join(lib, "cudart64_13.dll")]);
    expect(cudaNames(install, systemOf("darwin"))).toEqual([]);
  }));

test("the nvidia wheels give the libraries that PyTorch needs, in the order of their dependencies", () =>
  withPackages(async (packages) => {
    for (const [group, file] of [
      ["cublas", "libcublas.so.13"],
      ["cublas", "libcublasLt.so.13"],
      ["cuda_runtime", "libcudart.so.13"],
      ["cudnn", "libcudnn.so.9"],
      ["cudnn", "libcudnn_ops.so.9"],
      ["cudnn", "README"],
      // In one folder since CUDA 13; the first takes the processor's BLAS over and crashes without a GPU.
      ["cu13", "libnvblas.so.13"],
      ["cu13", "libnvrtc.alt.so.13"],
      ["cu13", "libnvrtc.so.13"],
      ["cu13", "libcusparseLt.so.0"],
      ["cu13", "libcusparse.so.12"],
      ["cu13", "libcufile_rdma.so.1"],
      ["nvshmem", "nvshmem_bootstrap_mpi.so.3"],
      ["nvshmem", "libnvshmem_host.so.3"],
    ] as const) {
      await mkdir(join(packages, "nvidia", group, "lib"), { recursive: true });
      await writeFile(join(packages, "nvidia", group, "lib", file), "");
    }
    const install = findTorch({ LACONIC_TORCH: packages });
    expect(nvidiaLibraries(install).map((file) => file.split("/").at(-1))).toEqual([
      "libcudart.so.13",
      "libnvrtc.so.13",
      "libcublasLt.so.13",
      "libcublas.so.13",
      "libcusparse.so.12",
      "libcusparseLt.so.0",
      "libcudnn.so.9",
      "libnvshmem_host.so.3",
    ]);
  }));
