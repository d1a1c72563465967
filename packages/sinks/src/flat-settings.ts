/** A leaf of a configuration. */
export type FlatValue = string | number | boolean;

/** Settings as one level of names, `train.budget.targetTokens`; lists that hold more than plain values as JSON, nulls left out. */
export function flatSettings(settings: unknown, path = ""): Record<string, FlatValue> {
  if (settings === null || settings === undefined) return {};
  if (typeof settings === "string" || typeof settings === "number" || typeof settings === "boolean")
    return { [path]: settings };
  if (Array.isArray(settings)) return { [path]: JSON.stringify(settings) };
  return Object.assign(
    {},
    ...Object.entries(settings).map(([key, each]) => flatSettings(each, path === "" ? key : `${path}.${key}`)),
  ) as Record<string, FlatValue>;
}
