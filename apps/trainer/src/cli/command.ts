import { LaconicError, nearestName } from "@laconic/core";
import { trusting } from "@laconic/runtime/folders";
import { defineCommand, type ArgsDef, type CommandDef, type ParsedArgs } from "citty";

/** A command as the command line shows it. Every flag is declared; every command explains itself. */
export interface CommandSpec<A extends ArgsDef> {
  /** With the command that it belongs to: `data ls`. */
  readonly name: string;
  /** Of a command inside another one; the others' stand in the table of commands. */
  readonly description?: string;
  readonly args: A;
  /** Accepts `key=value` positionals after the declared ones. */
  readonly overrides?: boolean;
  /** Accepts any positionals after the declared ones. */
  readonly more?: boolean;
  run(args: ParsedArgs<A>, rest: readonly string[]): Promise<number>;
}

/** Outcome of a command: 0 done, 1 failure, 2 usage or refused, 3 of `verify` for a part, 130 and 143 signals. */
export interface ExitCode {
  value: number;
}

/**
 * A citty command that refuses what citty lets through: unknown flags and surplus positionals.
 * @throws LaconicError `config_invalid` naming the flag.
 */
export function command<const A extends ArgsDef>(spec: CommandSpec<A>, exit: ExitCode): CommandDef {
  const definition = defineCommand<A>({
    meta: { name: spec.name, ...(spec.description !== undefined && { description: spec.description }) },
    args: spec.args,
    async run({ args, rawArgs }) {
      await refuseUnknownFlags(spec.args, rawArgs, spec.overrides === true);
      refuseFlagsWithoutValue(spec.args, rawArgs, spec.overrides === true);
      const positionals = Object.values(spec.args).filter((arg) => arg.type === "positional").length;
      const rest = args._.slice(positionals);
      const stray = spec.more ? undefined : spec.overrides ? rest.find((word) => !word.includes("=")) : rest[0];
      if (stray !== undefined)
        throw new LaconicError("config_invalid", `unexpected argument "${stray}"; see laconic ${spec.name} --help`, {
          argument: stray,
        });
      const run = (): Promise<number> => spec.run(args, rest);
      exit.value = await (args["trust" as keyof typeof args] === true ? trusting(run) : run());
    },
  });
  // Commands of different flags live in one table.
  return definition as unknown as CommandDef;
}

async function refuseUnknownFlags(args: ArgsDef, rawArgs: readonly string[], overrides: boolean): Promise<void> {
  const known = new Set<string>();
  for (const [name, arg] of Object.entries(args)) {
    known.add(camel(name));
    const alias = "alias" in arg ? arg.alias : undefined;
    for (const each of alias === undefined ? [] : [alias].flat()) known.add(camel(each));
  }
  for (const word of rawArgs) {
    if (word === "--") return;
    if (!/^--?[A-Za-z]/.test(word)) continue;
    const flag = (word.replace(/^--?/, "").split("=")[0] ?? "").replace(/^no-/, "");
    if (known.has(camel(flag)) || known.has(camel(`no-${flag}`))) continue;
    const close = nearestName(camel(flag), [...known]);
    const hint = close === undefined ? overrides && (await settingHint(flag)) : `did you mean --${kebab(close)}?`;
    throw new LaconicError("config_invalid", `unknown flag ${word.split("=")[0]}${hint ? `; ${hint}` : ""}`, { flag });
  }
}

async function settingHint(name: string): Promise<string | null> {
  const { suggestSetting } = await import("@laconic/runtime");
  const setting = suggestSetting(name);
  return setting === undefined ? null : `settings are words such as ${setting}=VALUE`;
}

/** citty takes the next flag, the next setting, or nothing, for a value that was forgotten. */
function refuseFlagsWithoutValue(args: ArgsDef, rawArgs: readonly string[], overrides: boolean): void {
  const valued = new Map(
    Object.entries(args).flatMap(([name, { type }]) =>
      type === "string" || type === "enum" ? [[camel(name), name] as const] : [],
    ),
  );
  for (const [i, word] of rawArgs.entries()) {
    if (word === "--") return;
    const [, flag, given] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
    const name = flag === undefined ? undefined : valued.get(camel(flag));
    if (name === undefined) continue;
    const value = given ?? rawArgs[i + 1] ?? "";
    if (value === "" || (given === undefined && /^--?[A-Za-z]/.test(value)))
      throw new LaconicError("config_invalid", `--${name} needs a value`, { flag: name });
    if (overrides && given === undefined && /^[A-Za-z]\w*(?:\.[\w-]+)*=/.test(value))
      throw new LaconicError(
        "config_invalid",
        `--${name} needs a value, and ${value} is a setting; if you mean it, write --${name}=${value}`,
        { flag: name },
      );
  }
}

function camel(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
