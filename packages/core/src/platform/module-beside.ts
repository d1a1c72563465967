/**
 * URL of a neighbouring module: TypeScript in the repository, JavaScript in a package.
 * @param path - without extension, such as `./worker-main`
 * @param url - `import.meta.url` of the calling module
 */
export function moduleBeside(path: string, url: string): URL {
  const extension = new URL(url).pathname.endsWith(".ts") ? "ts" : "js";
  return new URL(`${path}.${extension}`, url);
}
