import { configError, present, type LaconicError } from "@laconic/core";
import { wordTable } from "@laconic/core/checks";

export const flagGroups = ["Input", "Model", "Sampling", "Run", "Output", "Server", "Limits"] as const;

export type FlagGroup = (typeof flagGroups)[number];

export interface Argument<T = unknown> {
  readonly kind: "positional" | "toggle" | "value";
  readonly description: string;
  readonly group?: FlagGroup;
  readonly hint?: string;
  readonly required?: true;
  /** Text if the flag is absent. */
  readonly default?: string;
  readonly options?: readonly string[];
  readonly alias?: string;
  /** May be given several times; commas join the values. */
  readonly repeats?: true;
  /** Value if the flag is absent and has no default. */
  readonly absent?: T;
  /** @throws LaconicError `config_invalid` with the flag */
  readonly read?: (text: string, flag: string) => T;
}

export type Arguments = Readonly<Record<string, Argument>>;

export type Values<A> = { readonly [Name in keyof A]: A[Name] extends Argument<infer T> ? T : never };

export type Flags<V> = { readonly [Name in keyof V]-?: Argument<V[Name]> };

/** Invalid command line; the help follows the message. */
export class UsageError extends Error {}

export function grouped<F extends Arguments>(group: FlagGroup, flags: F): F {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, group }])) as F;
}

export function positional(description: string, hint?: string): Argument<string> {
  return { kind: "positional", description, required: true, ...present({ hint }) };
}

export function optionalPositional(description: string, hint?: string): Argument<string | undefined> {
  return { kind: "positional", description, ...present({ hint }) };
}

export function toggle(description: string, alias?: string): Argument<boolean> {
  return { kind: "toggle", description, absent: false, ...present({ alias }) };
}

/** Toggle that distinguishes absence from `--no-NAME`. */
export function optionalToggle(description: string): Argument<boolean | undefined> {
  return { kind: "toggle", description };
}

export interface ValueFlag<T> {
  (description: string, hint?: string): Argument<T | undefined>;
  (description: string, hint: string, usual: string): Argument<T>;
}

export function valueFlag<T>(read: (text: string, flag: string) => T): ValueFlag<T> {
  return (description: string, hint?: string, usual?: string): Argument<T> => ({
    kind: "value",
    description,
    read,
    ...present({ hint, default: usual }),
  });
}

export const textFlag: ValueFlag<string> = valueFlag((input) => input);

export function requiredFlag(description: string, hint: string): Argument<string> {
  return { kind: "value", description, hint, required: true };
}

export function choiceFlag<const Option extends string>(
  description: string,
  options: readonly Option[],
): Argument<Option | undefined>;
export function choiceFlag<const Option extends string>(
  description: string,
  options: readonly Option[],
  usual: NoInfer<Option>,
): Argument<Option>;
export function choiceFlag<const Option extends string>(
  description: string,
  options: readonly Option[],
  usual?: Option,
): Argument<Option> {
  const read = (input: string, flag: string): Option => {
    const option = options.find((item) => item === input);
    if (option !== undefined) return option;
    throw new UsageError(`Invalid value for argument: --${flag} (${input}). Expected one of: ${options.join(", ")}.`);
  };
  return { kind: "value", description, options, read, ...present({ default: usual }) };
}

export function flagError(flag: string, reason: string): LaconicError {
  return configError(`--${flag}: ${reason}`, { flag });
}

function refused(flag: string, input: string, expected: string): LaconicError {
  return configError(`--${flag} is ${input}, expected ${expected}`, { flag });
}

/** @throws LaconicError `config_invalid` with the flag */
export function wholeNumber(flag: string, input: string, least = 1, most: number = Infinity): number {
  const value = Number(input);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw refused(flag, input, most === Infinity ? `a whole number from ${least}` : `${least} to ${most}`);
}

/** Flags for whole numbers, by default from 1. */
export function wholeFlag(least?: number, most?: number): ValueFlag<number> {
  return valueFlag((input, flag) => wholeNumber(flag, input, least, most));
}

export const positiveFlag: ValueFlag<number> = valueFlag((input, flag) => {
  const value = Number(input);
  if (value > 0 && value < Infinity) return value;
  throw refused(flag, input, "a number above 0");
});

export const amountFlag: ValueFlag<number> = valueFlag((input, flag) => {
  const value = Number(input);
  if (value >= 0 && value < Infinity) return value;
  throw refused(flag, input, "a number from 0");
});

export function wordsIn(list: string): string[] {
  const words = list.split(",").map((part) => part.trim());
  return words.filter((text) => text !== "");
}

export const namesFlag: ValueFlag<readonly string[]> = valueFlag(wordsIn);

/** List with ranges, without duplicates: `1,2,3` or `0-4,9`. */
export const seedsFlag: ValueFlag<readonly number[]> = valueFlag((list, flag) => {
  const values = list.split(",").flatMap((piece) => {
    const [, first = NaN, last = first] = /^\s*(\d{1,15})(?:-(\d{1,15}))?\s*$/u.exec(piece) ?? [];
    const length = Number(last) - Number(first) + 1;
    return length > 0 && length <= 10_000 ? Array.from({ length }, (_, i) => Number(first) + i) : [NaN];
  });
  if (!values.includes(NaN) && new Set(values).size === values.length) return values;
  throw refused(flag, list, "seeds such as 1,2,3 or 0-4, each once");
});

const prefixes = ["", "k", "m", "g", "t"];
const byteUnits: Readonly<Record<string, number>> = wordTable(
  Object.fromEntries(
    prefixes.flatMap((prefix, i) => [
      [`${prefix}b`, 1000 ** i],
      [`${prefix}ib`, 1024 ** i],
    ]),
  ),
);

/** Bytes such as `24GiB`, `24 GB`, `1.5e9`. */
export const bytesFlag: ValueFlag<number> = valueFlag((input, flag) => {
  const [, number = "", unit = ""] = /^([\d.]+(?:e\d+)?)\s*([a-z]*)$/i.exec(input.trim()) ?? [];
  const value = Number(number || NaN) * (byteUnits[unit.toLowerCase() || "b"] ?? NaN);
  if (value > 0 && value < Infinity) return Math.floor(value);
  throw refused(flag, input, "bytes such as 24GiB or 16GB");
});
