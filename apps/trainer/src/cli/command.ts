import { parseArgs, type ParseArgsConfig } from "node:util";
import { LaconicError, nearestName } from "@laconic/core";
import { trusting } from "@laconic/runtime/folders";
import type { Terminal } from "./terminal.ts";

interface Described {
  readonly description?: string;
  /** The value in one word, as the help prints it. */
  readonly valueHint?: string;
}

/** A word that a command takes by its position. */
interface Positional extends Described {
  readonly type: "positional";
  /** True by default. */
  readonly required?: boolean;
}

interface BooleanFlag extends Described {
  readonly type: "boolean";
  readonly alias?: string;
}

interface TextFlag extends Described {
  readonly type: "string";
  readonly default?: string;
  readonly required?: boolean;
}

interface ChoiceFlag extends Described {
  readonly type: "enum";
  readonly options: readonly string[];
  readonly default?: string;
}

export type Argument = Positional | BooleanFlag | TextFlag | ChoiceFlag;
export type Arguments = Readonly<Record<string, Argument>>;

type ValueOf<A extends Argument> = A extends BooleanFlag
  ? boolean | undefined
  :
      | (A extends { readonly options: readonly (infer Option)[] } ? Option : string)
      | (A extends { readonly default: string } | { readonly required: true }
          ? never
          : A extends { readonly type: "positional"; readonly required?: true }
            ? never
            : undefined);

/** Values of a command's arguments by name. */
export type Values<A extends Arguments> = { readonly [Name in keyof A]: ValueOf<A[Name]> };

export interface CommandContext {
  readonly terminal: Terminal;
  /** Shows that a command is loading. */
  readonly whileLoading?: <T>(name: string, load: () => Promise<T>) => Promise<T>;
}

export interface RunContext {
  readonly terminal: Terminal;
  /** Positional words after the declared ones. */
  readonly rest: readonly string[];
}

export interface Command<A extends Arguments = Arguments> {
  readonly description: string;
  readonly args: A;
  /** Words it accepts after the declared positionals: none by default, settings `key=value`, or any. */
  readonly rest?: "settings" | "words";
  /** Returns the exit code, 0 by default. */
  run(values: Values<A>, context: RunContext): Promise<number | undefined> | Promise<void>;
}

/** A command with the types of its values. */
export function command<const A extends Arguments>(spec: Command<A>): Command {
  // Commands with different arguments share one table.
  return spec;
}

/** A command line that does not fit the command; the help is printed after it. */
export class UsageError extends Error {}

/** Ends a command early with this exit code; the reason is printed already. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/**
 * Parses the words behind a command's name and runs it.
 * @returns the exit code: 0 done, 1 failure, 2 usage or refused, 3 partly verified, 130 and 143 signals
 * @throws UsageError for a missing argument or a value that is not among the options
 * @throws LaconicError `config_invalid` for an unknown flag, a flag without its value, or a surplus word
 */
export async function runCommand(
  name: string,
  spec: Command,
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { values, rest } = await parseWords(name, spec, words);
  const run = async (): Promise<number> => (await spec.run(values, { terminal, rest })) ?? 0;
  try {
    return await (values["trust"] === true ? trusting(run) : run());
  } catch (error) {
    if (error instanceof ExitError) return error.exitCode;
    throw error;
  }
}

async function parseWords(
  name: string,
  { args, rest: accepted }: Command,
  words: readonly string[],
): Promise<{ readonly values: Values<Arguments>; readonly rest: readonly string[] }> {
  const { tokens, positionals } = parseArgs({
    args: [...words],
    options: parserOptions(args),
    allowPositionals: true,
    allowNegative: true,
    strict: false,
    tokens: true,
  });
  const values: Record<string, string | boolean | undefined> = {};
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const flag = Object.hasOwn(args, token.name) ? args[token.name] : undefined;
    if (!flag || flag.type === "positional") throw await unknownFlag(token.rawName, args, accepted === "settings");
    values[token.name] =
      flag.type === "boolean" ? booleanOf(token) : textOf(token, accepted === "settings" && !token.inlineValue);
  }
  const places = Object.entries(args).filter(([, { type }]) => type === "positional");
  for (const [i, [place]] of places.entries()) values[place] = positionals[i];
  for (const [key, argument] of Object.entries(args)) values[key] = checkedValue(key, argument, values[key]);
  const rest = positionals.slice(places.length);
  const stray = accepted === "words" ? undefined : rest.find((word) => accepted === undefined || !word.includes("="));
  if (stray !== undefined)
    throw new LaconicError("config_invalid", `unexpected argument "${stray}"; see laconic ${name} --help`, {
      argument: stray,
    });
  return { values, rest };
}

function parserOptions(args: Arguments): NonNullable<ParseArgsConfig["options"]> {
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const [name, argument] of Object.entries(args)) {
    if (argument.type === "positional") continue;
    options[name] =
      argument.type === "boolean"
        ? { type: "boolean", ...(argument.alias !== undefined && { short: argument.alias }) }
        : { type: "string" };
  }
  return options;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
}

function booleanOf({ name, rawName, value }: OptionToken): boolean {
  if (value !== undefined && value !== "true" && value !== "false")
    throw new LaconicError("config_invalid", `--${name} is ${value}, expected true or false`, { flag: name });
  return value === undefined ? !rawName.startsWith("--no-") || name.startsWith("no-") : value === "true";
}

/** @param refusesSettings - whether a value such as `train.steps=3` is a setting whose flag lacks its value */
function textOf({ name, value = "" }: OptionToken, refusesSettings: boolean): string {
  if (value === "" || /^--?[A-Za-z]/u.test(value))
    throw new LaconicError("config_invalid", `--${name} needs a value`, { flag: name });
  if (refusesSettings && /^[A-Za-z]\w*(?:\.[\w-]+)*=/u.test(value))
    throw new LaconicError(
      "config_invalid",
      `--${name} needs a value, and ${value} is a setting; if you mean it, write --${name}=${value}`,
      { flag: name },
    );
  return value;
}

function checkedValue(
  name: string,
  argument: Argument,
  value: string | boolean | undefined,
): string | boolean | undefined {
  if (argument.type === "positional") {
    if (value === undefined && argument.required !== false)
      throw new UsageError(`Missing required positional argument: ${name.toUpperCase()}`);
    return value;
  }
  if (argument.type === "boolean") return value;
  const chosen = value ?? argument.default;
  if (chosen === undefined && argument.type === "string" && argument.required)
    throw new UsageError(`Missing required argument: --${name}`);
  if (argument.type === "enum" && chosen !== undefined && !argument.options.includes(String(chosen)))
    throw new UsageError(
      `Invalid value for argument: --${name} (${chosen}). Expected one of: ${argument.options.join(", ")}.`,
    );
  return chosen;
}

async function unknownFlag(rawName: string, args: Arguments, acceptsSettings: boolean): Promise<LaconicError> {
  const flag = rawName.replace(/^--?(?:no-)?/u, "");
  const known = Object.entries(args).flatMap(([name, { type }]) => (type === "positional" ? [] : [name]));
  const near = nearestName(
    flag.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`),
    known,
  );
  const hint = near === undefined ? acceptsSettings && (await settingHint(flag)) : `did you mean --${near}?`;
  return new LaconicError("config_invalid", `unknown flag ${rawName}${hint ? `; ${hint}` : ""}`, { flag });
}

async function settingHint(name: string): Promise<string | null> {
  const { suggestSetting } = await import("@laconic/runtime");
  const setting = suggestSetting(name);
  return setting === undefined ? null : `settings are words such as ${setting}=VALUE`;
}
