import { LaconicError, wordTable, type UnknownRecord } from "@laconic/core";

/** Settings that were renamed: the old name is read for one release, and for ever in the folders of runs. */
const currentName: Readonly<Record<string, string>> = wordTable({ lessons: "warmStart" });

/** A setting's name of now. */
export function withCurrentName(key: string): string {
  return Object.hasOwn(currentName, key) ? (currentName[key] as string) : key;
}

/**
 * A configuration with the names of now.
 * @throws LaconicError `config_invalid` for a setting that is there under both names
 */
export function withCurrentNames(config: UnknownRecord): UnknownRecord {
  checkBothNames(Object.keys(config));
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [withCurrentName(key), value]));
}

/**
 * Refuses `key=value` words that set one thing under its former and its current name.
 * @throws LaconicError `config_invalid` naming the former one
 */
export function checkBothNames(keys: readonly string[]): void {
  const former = keys.find((key) => withCurrentName(key) !== key && keys.includes(withCurrentName(key)));
  if (former === undefined) return;
  throw new LaconicError("config_invalid", `${former}: is called ${withCurrentName(former)} now; remove ${former}`, {
    key: former,
  });
}

/** The same under the names that a run's folder has: what goes on keeps its names. */
export function withNamesOf(stored: UnknownRecord | null, config: UnknownRecord): UnknownRecord {
  const formerOf = new Map(
    Object.entries(currentName).flatMap(([former, current]) => (stored && former in stored ? [[current, former]] : [])),
  );
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [formerOf.get(key) ?? key, value]));
}

/** Warnings about settings that somebody wrote under a former name, in a configuration or as `key=value`. */
export function formerNamesIn(config: UnknownRecord, words: readonly string[] = []): readonly string[] {
  const keys = [...Object.keys(config), ...words.map((word) => settingOf(word))];
  return [...new Set(keys)]
    .filter((key) => Object.hasOwn(currentName, key))
    .map((key) => `${key} is called ${currentName[key]} now; the old name goes with the next release`);
}

/** The first name of an `a.b=value` word. */
export function settingOf(word: string): string {
  return /^[^.=]+/u.exec(word)?.[0] ?? "";
}
