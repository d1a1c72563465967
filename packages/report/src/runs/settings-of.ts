/** Leaves of a configuration by dotted key; a list is one, as JSON. */
export function settingsOf(value: unknown, path = ""): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return path === "" ? {} : { [path]: typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined") };
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      Object.entries(settingsOf(each, path === "" ? key : `${path}.${key}`)),
    ),
  );
}
