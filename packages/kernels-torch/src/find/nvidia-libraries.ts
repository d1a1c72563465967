import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TorchInstall } from "./torch-install.ts";

/**
 * Shared libraries of the `nvidia-*` wheels beside a PyTorch wheel, those that others need first: what Python's
 * `import torch` preloads when the loader's own search path does not reach them.
 */
export function nvidiaLibraries(install: TorchInstall): string[] {
  const root = join(dirname(install.folder), "nvidia");
  const files = list(root).flatMap((group) =>
    list(join(root, group, "lib"))
      .filter((name) => /\.so(\.\d+)*$/.test(name))
      .map((name) => join(root, group, "lib", name)),
  );
  const rank = (file: string): number => {
    const at = order.findIndex((name) => file.includes(`/${name}.`) || file.includes(`/${name}_`));
    return at < 0 ? order.length : at;
  };
  return files.toSorted((a, b) => rank(a) - rank(b));
}

const order = ["libcudart", "libnvJitLink", "libnvrtc", "libcublasLt", "libcublas", "libcusparse", "libcudnn"];

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
