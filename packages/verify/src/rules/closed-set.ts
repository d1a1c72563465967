export type Json = Readonly<Record<string, unknown>>;

/** `?` marks optional keys. */
export interface Group {
  readonly [key: string]: Known;
}

/** Allowed values of a setting: any of a type, one of several, a group, or a function of the value. */
export type Known = "any" | "number" | "boolean" | "string" | readonly unknown[] | Group | ((value: Json) => Known);

export function byName(registry: Known): Known {
  return (value) => Object.fromEntries(Object.keys(value).map((name) => [name, registry]));
}

/** Allows no value: the setting would change an uncovered formula. */
export const absent: Known = [];

/** Settings whose kind is named at `key`. The report names an unknown kind, not its options. */
export function chosen(key: string, kinds: Readonly<Record<string, Group>>): Known {
  return (value) => {
    const name = String(value[key]);
    const any = Object.fromEntries(Object.keys(value).map((text) => [text, "any" as const]));
    return { ...(Object.hasOwn(kinds, name) ? kinds[name] : any), [key]: Object.keys(kinds) };
  };
}

/** Path and value of the first setting outside the closed set; null if all are inside. */
export function unknownIn(value: unknown, registry: Known, path: string): string | null {
  if (value === null || value === undefined || registry === "any") return null;
  const shown = `${path} ${(JSON.stringify(value) ?? "").slice(0, 60)}`;
  if (Array.isArray(registry)) return registry.includes(value) ? null : shown;
  if (typeof registry === "string") return typeof value === registry ? null : shown;
  if (!isObject(value)) return shown;
  if (typeof registry === "function") return unknownIn(value, registry(value), path);
  const group = registry as Group;
  for (const [key, inner] of Object.entries(value)) {
    const below = Object.hasOwn(group, key) ? group[key] : group[`${key}?`];
    const unknown = below === undefined ? `${path}.${key}` : unknownIn(inner, below, `${path}.${key}`);
    if (unknown !== null) return unknown;
  }
  const missing = Object.keys(group).find((key) => !key.endsWith("?") && !Object.hasOwn(value, key));
  return missing === undefined ? null : `${path} without ${missing}`;
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
