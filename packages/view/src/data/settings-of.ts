type Leaf = string | number | boolean | null;

/** Leaves of a configuration by dotted key; a list is one, as JSON. */
export function leavesOf(value: unknown, path = ""): Record<string, Leaf> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return path === "" ? {} : { [path]: leafOf(value) };
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      Object.entries(leavesOf(each, path === "" ? key : `${path}.${key}`)),
    ),
  );
}

function leafOf(value: unknown): Leaf {
  const isPlain = value === null || ["string", "number", "boolean"].includes(typeof value);
  return isPlain ? (value as Leaf) : (JSON.stringify(value) ?? null);
}
