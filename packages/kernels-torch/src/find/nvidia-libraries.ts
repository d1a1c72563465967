import { basename, dirname, join } from "node:path";
import { systemOf, type System } from "@laconic/core/platform";
import { list, type TorchInstall } from "./torch-install.ts";

/**
 * Shared libraries of the `nvidia-*` wheels beside a PyTorch wheel that its libraries need, those that others need first:
 * what Python's `import torch` preloads when the loader's own search path does not reach them. The wheels hold more:
 * `libnvblas` takes the processor's BLAS over and crashes without a GPU, NVSHMEM's plug-ins want a network card. Those are
 * never loaded.
 */
export function nvidiaLibraries(install: TorchInstall): string[] {
  const root = join(dirname(install.folder), "nvidia");
  const files = list(root).flatMap((group) => {
    const folder = join(root, group, "lib");
    return list(folder).map((name) => ({ name, file: join(folder, name) }));
  });
  return wanted.flatMap((library) => files.filter(({ name }) => isVersionOf(library, name)).map(({ file }) => file));
}

/**
 * Files or names under which the CUDA runtime may be loaded, those that came with PyTorch first. Windows' wheels hold them in
 * PyTorch's own folder.
 */
export function cudaNames(install: TorchInstall, { title }: System = systemOf(process.platform)): string[] {
  if (title === "macOS") return [];
  if (title === "Windows") {
    const names = list(install.libraries).filter((name) => name.startsWith("cudart64_") && name.endsWith(".dll"));
    return names.map((name) => join(install.libraries, name));
  }
  const wheels = nvidiaLibraries(install).filter((file) => isVersionOf("libcudart", basename(file)));
  return [...wheels, "libcudart.so.13", "libcudart.so.12", "libcudart.so"];
}

/** As `_preload_cuda_deps` of torch/__init__.py has them, in the order of need. */
const wanted: readonly string[] = [
  "libcudart",
  "libnvJitLink",
  "libnvrtc-builtins",
  "libnvrtc",
  "libcublasLt",
  "libcublas",
  "libcusparse",
  "libcusparseLt",
  "libcusolver",
  "libcufft",
  "libcurand",
  "libcupti",
  "libcudnn",
  "libnccl",
  "libnvshmem_host",
  "libcufile",
];

function isVersionOf(library: string, name: string): boolean {
  return name.startsWith(library) && /^\.so(\.\d+)*$/.test(name.slice(library.length));
}
