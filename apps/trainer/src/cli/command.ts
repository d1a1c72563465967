import { parseArgs, type ParseArgsConfig } from "node:util";
import { configError, nearestName, type LaconicError } from "@laconic/core";
import { trusting } from "@laconic/runtime/folders";
import { flagError, UsageError, type Arguments, type Values } from "./arguments.ts";
import type { Terminal } from "./terminal.ts";

export interface CommandContext {
  readonly terminal: Terminal;
  readonly whileLoading?: <T>(name: string, load: () => Promise<T>) => Promise<T>;
}

export interface Command<A extends Arguments = Arguments> {
  readonly description: string;
  readonly args: A;
  readonly examples: readonly string[];
  /** Further arguments: none (default), settings `key=value`, or any. */
  readonly rest?: "settings" | "words";
  /** Returns the exit code. Default 0. @param context - `rest` has the arguments after the declared ones */
  run(
    values: Values<A>,
    context: { readonly terminal: Terminal; readonly rest: readonly string[] },
  ): Promise<number | undefined> | Promise<void>;
}

export function command<A extends Arguments>(spec: Command<A>): Command {
  return spec;
}

/**
 * Parses the arguments and runs a command.
 * @returns the exit code: 0 done, 1 failure, 2 usage or refused, 3 partly verified, 130 and 143 signals
 * @throws UsageError for a missing argument or a value outside the options
 * @throws LaconicError `config_invalid` for an unknown flag, a flag without its value, or a surplus argument
 */
export async function runCommand(
  name: string,
  spec: Command,
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { values, rest } = await parseWords(name, spec, argv);
  const run = async (): Promise<number> => (await spec.run(values, { terminal, rest })) ?? 0;
  return values["trust"] === true ? trusting(run) : run();
}

export async function parseWords(
  name: string,
  { args, rest: accepted }: Command,
  argv: readonly string[],
): Promise<{ readonly values: Values<Arguments>; readonly rest: readonly string[] }> {
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const [flag, { kind, alias }] of Object.entries(args)) {
    if (kind === "value") options[flag] = { type: "string" };
    if (kind === "toggle") options[flag] = { type: "boolean", ...(alias !== undefined && { short: alias }) };
  }
  const { tokens, positionals } = parseArgs({
    args: [...argv],
    options,
    allowPositionals: true,
    allowNegative: true,
    strict: false,
    tokens: true,
  });
  const typed: Record<string, string | boolean | undefined> = {};
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const kind = Object.hasOwn(args, token.name) ? args[token.name]?.kind : undefined;
    if (kind === undefined || kind === "positional")
      throw await unknownFlag(token.rawName, name, args, accepted === "settings");
    const before = args[token.name]?.repeats && typed[token.name];
    const value = kind === "toggle" ? booleanOf(token) : textOf(token, accepted === "settings" && !token.inlineValue);
    typed[token.name] = before ? `${before},${value}` : value;
  }
  const places = Object.keys(args).filter((key) => args[key]?.kind === "positional");
  for (const [i, location] of places.entries()) typed[location] = positionals[i];
  const rest = positionals.slice(places.length);
  const values = valuesOf(args, typed);
  const stray = accepted === "words" ? undefined : rest.find((word) => accepted === undefined || !word.includes("="));
  if (stray !== undefined)
    throw configError(`unexpected argument "${stray}"; see laconic ${name} --help`, { argument: stray });
  return { values, rest };
}

/** Converts typed arguments, with defaults. @throws UsageError for a missing required argument */
export function valuesOf<A extends Arguments>(
  args: A,
  typed: Readonly<Record<string, string | boolean | undefined>>,
): Values<A> {
  const values = Object.entries(args).map(([name, { kind, hint, required, read, default: usual, absent }]) => {
    const input = typed[name] ?? usual;
    if (input === undefined && required) {
      const missing = kind === "positional" ? (hint ?? name.toUpperCase()) : `--${name}`;
      throw new UsageError(`${missing}: missing; add it`);
    }
    return [name, typeof input === "string" && read ? read(input, name) : (input ?? absent)];
  });
  return Object.fromEntries(values) as Values<A>;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
}

function booleanOf({ name, rawName, value }: OptionToken): boolean {
  if (value !== undefined && value !== "true" && value !== "false")
    throw configError(`--${name} is ${value}, expected true or false`, { flag: name });
  return value === undefined ? !rawName.startsWith("--no-") || name.startsWith("no-") : value === "true";
}

/** @param refusesSettings - whether `train.steps=3` is a setting, so that the flag lacks its value */
function textOf({ name, value = "" }: OptionToken, refusesSettings: boolean): string {
  if (value === "" || /^--?[A-Za-z]/u.test(value)) throw configError(`--${name} needs a value`, { flag: name });
  if (refusesSettings && /^[A-Za-z]\w*(?:\.[\w-]+)*=/u.test(value))
    throw flagError(name, `needs a value, and ${value} is a setting; if you mean it, write --${name}=${value}`);
  return value;
}

async function unknownFlag(
  rawName: string,
  path: string,
  args: Arguments,
  acceptsSettings: boolean,
): Promise<LaconicError> {
  const flag = rawName.replace(/^--?(?:no-)?/u, "");
  const near = nearestName(
    flag.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`),
    Object.keys(args).filter((name) => args[name]?.kind !== "positional"),
  );
  const setting = near === undefined && acceptsSettings && (await import("@laconic/runtime")).suggestSetting(flag);
  const other = setting ? `write the setting as ${setting}=VALUE` : `see laconic ${path} --help`;
  const hint = near === undefined ? other : `did you mean --${near}?`;
  return configError(`unknown flag ${rawName}; ${hint}`, { flag });
}
