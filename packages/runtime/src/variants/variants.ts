import { configError, isRecord, type LaconicError, type UnknownRecord } from "@laconic/core";
import { parseJson, tryParseJson } from "@laconic/core/json";
import type { Variant } from "./run-variants.ts";
import { baseVariant, knownVariants } from "./choose-variants.ts";

const variantWord = /^([A-Za-z0-9][\w-]{0,63}):([^=]+=.*)$/su;
const nameForm = /^[A-Za-z0-9][\w-]{0,63}$/u;

/**
 * Splits user variants (`NAME:key=value`) from other arguments.
 * @throws LaconicError `config_invalid` for a name that is taken
 */
export function variantsInWords(args: readonly string[]): {
  readonly variants: readonly Variant[];
  readonly fixed: string[];
} {
  const named = new Map<string, string[]>();
  const fixed: string[] = [];
  for (const word of args) {
    const [, name, override] = variantWord.exec(word) ?? [];
    if (name === undefined || override === undefined) fixed.push(word);
    else named.set(name, [...(named.get(name) ?? []), override]);
  }
  return { variants: [...named].map(([name, overrides]) => userVariant(name, overrides, "a variant")), fixed };
}

/**
 * Reads JSON, `{ "NAME": { "key": value } }`; file paths are relative to the working directory.
 * @throws LaconicError `config_invalid` with the file and the invalid part
 */
export function variantsInFile(text: string, file: string): readonly Variant[] {
  const value = parseJson(text, file);
  if (!isRecord(value)) throw invalidVariant(file, "has no variants");
  return Object.entries(value).map(([name, settings]) => {
    if (!isRecord(settings) || Object.keys(settings).length === 0)
      throw invalidVariant(file, `${name} is not a group of settings, such as { "train.steps": 40 }`);
    return userVariant(
      name,
      Object.entries(settings).map(([key, item]) => `${key}=${JSON.stringify(item)}`),
      file,
    );
  });
}

function userVariant(name: string, overrides: readonly string[], location: string): Variant {
  if (!nameForm.test(name))
    throw invalidVariant(location, `cannot be named ${JSON.stringify(name)}: use letters, digits, - and _`);
  if (name === baseVariant || knownVariants.includes(name))
    throw invalidVariant(location, `cannot be named ${name}, a built-in name; choose another name`);
  return { name, about: overrides.join(" "), overrides };
}

function invalidVariant(location: string, reason: string): LaconicError {
  return configError(`${location} ${reason}`, { place: location });
}

const maxVariants = 256;

interface Configuration {
  readonly name: string;
  readonly base: UnknownRecord;
}

/**
 * Expands settings to all combinations: `a=1,2 b=x` gives `a=1 b=x` and `a=2 b=x`. Commas inside brackets, braces and
 * quotes do not separate values. Each of several configurations gets all combinations.
 * @throws LaconicError `config_invalid` for no variation, or too many variants
 */
export function variantsOf(
  args: readonly string[],
  configurations: readonly Configuration[] = [],
): { readonly variants: Variant[]; readonly fixed: string[] } {
  const choices: (readonly [key: string, values: readonly string[]])[] = [];
  const fixed: string[] = [];
  for (const word of args) {
    const index = word.indexOf("=");
    const values = partsOf(word.slice(index + 1));
    if (values.length > 1) choices.push([word.slice(0, index), values]);
    else fixed.push(word);
  }
  const several = configurations.length > 1 ? configurations : [];
  if (choices.length === 0 && several.length === 0)
    throw configError("nothing varies: give a setting several values, such as train.budget.targetTokens=10,14,20");
  const variants = choices.reduce<string[][]>(
    (all, [key, values]) => all.flatMap((before) => values.map((value) => [...before, `${key}=${value}`])),
    [[]],
  );
  const count = variants.length * Math.max(1, several.length);
  if (count > maxVariants) throw configError(`these settings make ${count} variants, more than ${maxVariants}`);
  const names = new Map<string, number>();
  const named = (overrides: readonly string[], config?: Configuration): Variant => {
    const name = nameOf([...(config ? [config.name] : []), ...overrides]);
    const same = (names.get(name) ?? 0) + 1; // other values may have the same name
    names.set(name, same);
    return {
      name: same === 1 ? name : `${name}-${same}`,
      about: [...(config ? [config.name] : []), ...overrides].join(" "),
      overrides,
      ...(config && { base: config.base }),
    };
  };
  return {
    fixed,
    variants:
      several.length === 0
        ? variants.map((overrides) => named(overrides))
        : several.flatMap((config) => variants.map((overrides) => named(overrides, config))),
  };
}

/** Folder name: last part of each key, and its value. */
function nameOf(overrides: readonly string[]): string {
  return overrides
    .map((word) =>
      word.includes("=")
        ? `${(word.split("=")[0] ?? "").split(".").at(-1)}-${word.slice(word.indexOf("=") + 1)}`
        : word.replace(/^preset:/u, ""),
    )
    .join("_")
    .replaceAll(/[^\w.-]+/gu, "-")
    .slice(0, 120);
}

function partsOf(text: string): string[] {
  const parts = [""];
  let depth = 0;
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && "[{".includes(character)) depth++;
    else if (!quoted && "]}".includes(character)) depth--;
    if (character === "," && depth === 0 && !quoted) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** Describes settings that overrides drop: `train.objective={"name":"grpo"}` replaces the group, and has no KL term. */
export function droppedSettings(base: UnknownRecord, overrides: readonly string[]): string[] {
  return overrides.flatMap((word) => {
    const index = word.indexOf("=");
    const key = word.slice(0, index);
    // Invalid JSON is plain text.
    const dropped = missingIn(valueAt(base, key.split(".")), tryParseJson(word.slice(index + 1)));
    if (dropped.length === 0) return [];
    return [
      `${key} replaces the whole group and drops ${dropped.join(", ")}; ${key}.KEY=VALUE changes one setting of it`,
    ];
  });
}

function missingIn(before: unknown, now: unknown): string[] {
  if (!isRecord(before) || !isRecord(now)) return [];
  return Object.entries(before).flatMap(([key, value]) =>
    Object.hasOwn(now, key) ? missingIn(value, now[key]).map((inner) => `${key}.${inner}`) : [key],
  );
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (position, key) => (isRecord(position) && Object.hasOwn(position, key) ? position[key] : undefined),
    value,
  );
}
