/**
 * The address of a module beside another: TypeScript in the repository, JavaScript in a package. A loader may have added a query to the
 * other's address.
 *
 * @param path - without its extension, such as `./worker-main`
 * @param url - the other module's `import.meta.url`
 */
export function moduleBeside(path: string, url: string): URL {
  const extension = new URL(url).pathname.endsWith(".ts") ? "ts" : "js";
  return new URL(`${path}.${extension}`, url);
}
