import { LaconicError } from "@laconic/core";
import type { Variant } from "./run-variants.ts";

const maxVariants = 256;

/** One of several that a sweep compares. */
export interface Configuration {
  readonly name: string;
  readonly base: Readonly<Record<string, unknown>>;
}

/**
 * The variants that settings with several values stand for, each with each: `a=1,2 b=x` is `a=1 b=x` and `a=2 b=x`. Commas
 * inside brackets, braces and quotes part nothing. Of several configurations, each has all of them.
 * @throws LaconicError `config_invalid` when nothing varies, or too much does
 */
export function variantsOf(
  words: readonly string[],
  configurations: readonly Configuration[] = [],
): { readonly variants: Variant[]; readonly fixed: string[] } {
  const choices: (readonly [key: string, values: readonly string[]])[] = [];
  const fixed: string[] = [];
  for (const word of words) {
    const at = word.indexOf("=");
    const values = partsOf(word.slice(at + 1));
    if (values.length > 1) choices.push([word.slice(0, at), values]);
    else fixed.push(word);
  }
  const several = configurations.length > 1 ? configurations : [];
  if (choices.length === 0 && several.length === 0)
    throw new LaconicError(
      "config_invalid",
      "nothing varies: give a setting several values, such as train.budget.targetTokens=10,14,20",
    );
  const variants = choices.reduce<string[][]>(
    (all, [key, values]) => all.flatMap((before) => values.map((value) => [...before, `${key}=${value}`])),
    [[]],
  );
  const count = variants.length * Math.max(1, several.length);
  if (count > maxVariants)
    throw new LaconicError("config_invalid", `these settings make ${count} variants, more than ${maxVariants}`);
  const names = new Map<string, number>();
  const named = (overrides: readonly string[], configuration?: Configuration): Variant => {
    const name = nameOf([...(configuration ? [configuration.name] : []), ...overrides]);
    const same = (names.get(name) ?? 0) + 1; // different values may look alike in a folder's name
    names.set(name, same);
    return {
      name: same === 1 ? name : `${name}-${same}`,
      about: [...(configuration ? [configuration.name] : []), ...overrides].join(" "),
      overrides,
      ...(configuration && { base: configuration.base }),
    };
  };
  return {
    fixed,
    variants:
      several.length === 0
        ? variants.map((overrides) => named(overrides))
        : several.flatMap((configuration) => variants.map((overrides) => named(overrides, configuration))),
  };
}

/** Fit for a folder: the last part of each key, and its value. */
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
