import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TorchInstall } from "./torch-install.ts";

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

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
