import { isRecord, LaconicError } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import type { Variant } from "./run-variants.ts";
import { baseVariant, knownVariants } from "./known-variants.ts";

const word = /^([A-Za-z0-9][\w-]{0,63}):([^=]+=.*)$/su;
const nameForm = /^[A-Za-z0-9][\w-]{0,63}$/u;

/**
 * User variants: `NAME:key=value` words, grouped by name, and the remaining words.
 * @throws LaconicError `config_invalid` for a name that is taken
 */
export function variantsInWords(words: readonly string[]): {
  readonly variants: readonly Variant[];
  readonly fixed: string[];
} {
  const named = new Map<string, string[]>();
  const fixed: string[] = [];
  for (const each of words) {
    const [, name, override] = word.exec(each) ?? [];
    if (name === undefined || override === undefined) fixed.push(each);
    else named.set(name, [...(named.get(name) ?? []), override]);
  }
  return { variants: [...named].map(([name, overrides]) => variant(name, overrides, "a variant")), fixed };
}

/**
 * Variants of a JSON file, `{ "NAME": { "key": value } }`. Files that values name are relative to the working directory.
 * @throws LaconicError `config_invalid` naming the file and what in it is none
 */
export function variantsInFile(text: string, file: string): readonly Variant[] {
  const value = parseJson(text, file);
  if (!isRecord(value)) throw invalidVariant(file, "holds no variants");
  return Object.entries(value).map(([name, settings]) => {
    if (!isRecord(settings) || Object.keys(settings).length === 0)
      throw invalidVariant(file, `${name} is no group of settings, such as { "train.steps": 40 }`);
    return variant(
      name,
      Object.entries(settings).map(([key, each]) => `${key}=${JSON.stringify(each)}`),
      file,
    );
  });
}

function variant(name: string, overrides: readonly string[], place: string): Variant {
  if (!nameForm.test(name))
    throw invalidVariant(place, `cannot be called ${JSON.stringify(name)}: letters, digits, - and _`);
  if (name === baseVariant || knownVariants.includes(name))
    throw invalidVariant(place, `cannot be called ${name}, which is known already; choose another name`);
  return { name, about: overrides.join(" "), overrides };
}

function invalidVariant(place: string, reason: string): LaconicError {
  return new LaconicError("config_invalid", `${place} ${reason}`, { place });
}
