/** What policies have by their names, where they have something. */
export function byPolicy<T>(
  entries: readonly (readonly [name: string, value: T | null | undefined])[],
): Record<string, T> {
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value] as const])),
  );
}
