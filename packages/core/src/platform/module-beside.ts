/**
 * URL of a neighbouring module: TypeScript in the repository, JavaScript in a package.
 * @param path - without extension
 */
export function moduleBeside(path: string, url: string): URL {
  const extension = new URL(url).pathname.endsWith(".ts") ? "ts" : "js";
  return new URL(`${path}.${extension}`, url);
}
