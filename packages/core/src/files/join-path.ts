/** Parts of a path with single slashes between them; every system that Node runs on reads those. */
export function joinPath(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .map((part, i) => (i === 0 ? part : part.replace(/^\/+/u, "")))
    .map((part, i, { length }) => (i === length - 1 ? part : part.replace(/\/+$/u, "")))
    .join("/");
}
