/** A word of a shell that means itself. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same in fish, where a backslash means something between quotes. */
export function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}

/** Folders of which a run is one: beside each other, in runs/, and in a sweep's. */
export const runFolders: readonly string[] = ["", "runs/", "*/runs/"];

/** Names inside a group: `data` has `ls`, `get`. */
export function innerNames(commands: readonly { readonly name: string }[]): ReadonlyMap<string, readonly string[]> {
  const inner = new Map<string, string[]>();
  for (const { name } of commands) {
    const [group = "", second] = name.split(" ");
    if (second !== undefined) inner.set(group, [...(inner.get(group) ?? []), second]);
  }
  return inner;
}

/** Commands in front. */
export function rootNames<T extends { readonly name: string }>(commands: readonly T[]): T[] {
  return commands.filter(({ name }) => !name.includes(" "));
}
