import { basename, dirname, join } from "node:path";
import { systemOf, type System } from "@laconic/core/platform";
import { list, type TorchInstall } from "./torch-install.ts";

/**
 * Libraries of the `nvidia-*` wheels that PyTorch needs, dependencies first. Others are never loaded: `libnvblas`
 * crashes without a GPU, and NVSHMEM needs a network card.
 */
export function nvidiaLibraries(install: TorchInstall): string[] {
  const root = join(dirname(install.folder), "nvidia");
  const files = list(root).flatMap((group) => {
    const folder = join(root, group, "lib");
    return list(folder).map((name) => ({ name, file: join(folder, name) }));
  });
  return wanted.flatMap((library) => files.filter(({ name }) => isVersionOf(library, name)).map(({ file }) => file));
}

/** CUDA runtimes, PyTorch's first. Windows wheels hold them in PyTorch's folder. */
export function cudaNames(install: TorchInstall, { title }: System = systemOf(process.platform)): string[] {
  if (title === "macOS") return [];
  if (title === "Windows") {
    const names = list(install.libraries).filter((name) => name.startsWith("cudart64_") && name.endsWith(".dll"));
    return names.map((name) => join(install.libraries, name));
  }
  const wheels = nvidiaLibraries(install).filter((file) => isVersionOf("libcudart", basename(file)));
  return [...wheels, "libcudart.so.13", "libcudart.so.12", "libcudart.so"];
}

/** Order of `_preload_cuda_deps` (torch/__init__.py). */
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
