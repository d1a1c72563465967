import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * A module that is installed only where somebody asked for it: beside this package, or below a folder.
 * @returns null when it is in neither place
 */
export async function optionalModule(name: string, folder: string | undefined): Promise<unknown> {
  const places = [import.meta.url, ...(folder === undefined ? [] : [pathToFileURL(join(folder, "package.json"))])];
  for (const place of places) {
    let path: string;
    try {
      path = createRequire(place).resolve(name);
    } catch {
      continue;
    }
    return import(pathToFileURL(path).href);
  }
  return null;
}
