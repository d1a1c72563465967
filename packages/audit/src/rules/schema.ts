/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** Values that are taken as they are, by the name of their type. */
interface Plain {
  readonly any: unknown;
  readonly number: number;
  readonly "number or null": number | null;
  readonly pair: readonly [number, number];
  readonly boolean: boolean;
  readonly text: string;
}

/**
 * What an audit knows of a setting: a plain value, one of several, or a group by key, with `?` behind a key that may be absent. A
 * function decides by the value.
 */
export type Known = keyof Plain | readonly string[] | KnownGroup | ((value: Json) => Known);

/** Settings by key. */
export interface KnownGroup {
  readonly [key: string]: Known;
}

/** The type of what a `Known` describes: settings are written once, as data, and read by their type. */
export type SettingsOf<K> = K extends keyof Plain
  ? Plain[K]
  : K extends readonly (infer Choice)[]
    ? Choice
    : { readonly [N in keyof K as N extends `${string}?` ? never : N]: SettingsOf<K[N]> } & {
        readonly [N in keyof K as N extends `${infer Name}?` ? Name : never]?: SettingsOf<K[N]>;
      };

/** Names of a user's or a run's own, each with a value of one kind. */
export function byName(known: Known): Known {
  return (value) => Object.fromEntries(Object.keys(value).map((name) => [name, known]));
}

/** Rules by name: what is not in the table has no second implementation here, and its options are not judged. */
export type RuleTable = Readonly<Record<string, { readonly reads: readonly string[] }>>;

/**
 * Settings of a rule that is chosen by the name at `key`: of `options` those that the rule says it reads, and `always`.
 */
export function named(key: string, table: RuleTable, options: KnownGroup, always: KnownGroup = {}): Known {
  return (value) => {
    const name = value[key];
    if (typeof name !== "string" || !Object.hasOwn(table, name)) return "any";
    const own = (table[name] as RuleTable[string]).reads.map(
      (read) => [read, knownAt(options, read) ?? "any"] as const,
    );
    return { ...always, ...Object.fromEntries(own), [key]: "any" };
  };
}

/** The first setting that is not known, by its path, and by its value where that is what is unknown; null where all are. */
export function unknownIn(value: unknown, known: Known, path: readonly string[] = []): string | null {
  if (typeof known === "string" || value === null || value === undefined || isOwnValue(value)) return null;
  if (isChoice(known)) return known.some((each) => each === value) ? null : `${path.join(".")} ${shown(value)}`;
  // A text in place of a group names a value of the user's own.
  if (typeof value !== "object") return typeof value === "string" ? null : `${path.join(".")} ${shown(value)}`;
  if (typeof known === "function") return unknownIn(value, known(value as Json), path);
  for (const [key, inner] of Object.entries(value)) {
    const place = [...path, key];
    const below = knownAt(known, key);
    const found = below === undefined ? place.join(".") : unknownIn(inner, below, place);
    if (found !== null) return found;
  }
  return null;
}

/** A value of the user's own, as a configuration keeps it: where it is made. */
export function isOwnValue(value: unknown): boolean {
  return typeof value === "object" && value !== null && "file" in value && "export" in value;
}

function knownAt(group: KnownGroup, key: string): Known | undefined {
  if (key.endsWith("?")) return undefined;
  return Object.hasOwn(group, key) ? group[key] : group[`${key}?`];
}

const isChoice = (known: Known): known is readonly string[] => Array.isArray(known);

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
