import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Loads an optional module from this package's or a folder's `node_modules`; null if not installed. */
export async function optionalModule(name: string, folder: string | undefined): Promise<unknown> {
  const path = pathOf(name, folder);
  return path === null ? null : import(pathToFileURL(path).href);
}

/** Package of each device. */
export const packages = { tensorflow: "@tensorflow/tfjs-node", "tensorflow-gpu": "@tensorflow/tfjs-node-gpu" } as const;

/** True if a device's package is installed. */
export function isInstalled(device: keyof typeof packages, { modules }: { readonly modules?: string } = {}): boolean {
  return pathOf(packages[device], modules) !== null;
}

function pathOf(name: string, folder: string | undefined): string | null {
  const places = [import.meta.url, ...(folder === undefined ? [] : [pathToFileURL(join(folder, "package.json"))])];
  for (const location of places)
    try {
      return createRequire(location).resolve(name);
    } catch {
      // Try the other location.
    }
  return null;
}
