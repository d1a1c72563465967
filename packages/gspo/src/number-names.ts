/** A number for each name, from 0 in the order in which names first occur. */
export function numberNames(names: readonly unknown[]): Int32Array {
  const ids = new Map<string, number>();
  return Int32Array.from(names, (name) => {
    const key = JSON.stringify(name);
    const id = ids.get(key) ?? ids.size;
    ids.set(key, id);
    return id;
  });
}
