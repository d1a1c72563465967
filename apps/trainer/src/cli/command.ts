import { LaconicError } from "@laconic/core";
import { defineCommand, renderUsage, type ArgsDef, type CommandDef, type ParsedArgs } from "citty";

/** A command as the command line shows it. Every flag is declared; every command explains itself. */
export interface CommandSpec<A extends ArgsDef> {
  readonly name: string;
  readonly description: string;
  readonly args: A;
  /** Accepts `key=value` positionals after the declared ones. */
  readonly overrides?: boolean;
  run(args: ParsedArgs<A>, rest: readonly string[]): Promise<number>;
}

/** Outcome of a command: 0 done, 1 failure, 2 usage or refused, 130 and 143 signals. */
export class ExitCode {
  value = 0;
}

/**
 * A citty command that refuses what citty lets through: unknown flags and surplus positionals.
 * @throws LaconicError `config_invalid` naming the flag.
 */
export function command<A extends ArgsDef>(spec: CommandSpec<A>, exit: ExitCode): CommandDef<A> {
  return defineCommand({
    meta: { name: spec.name, description: spec.description },
    args: spec.args,
    async run({ args, rawArgs }) {
      refuseUnknownFlags(spec.args, rawArgs);
      const positionals = Object.values(spec.args).filter((arg) => arg.type === "positional").length;
      const rest = args._.slice(positionals);
      const stray = spec.overrides ? rest.find((word) => !word.includes("=")) : rest[0];
      if (stray !== undefined)
        throw new LaconicError("config_invalid", `unexpected argument "${stray}"; see laconic ${spec.name} --help`, {
          argument: stray,
        });
      exit.value = await spec.run(args, rest);
    },
  });
}

function refuseUnknownFlags(args: ArgsDef, rawArgs: readonly string[]): void {
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
    const close = nearest(camel(flag), [...known]);
    throw new LaconicError(
      "config_invalid",
      `unknown flag ${word.split("=")[0]}${close === undefined ? "" : `; did you mean --${kebab(close)}?`}`,
      { flag },
    );
  }
}

/** The known name with the fewest edits, when that is close enough to be a slip. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known.map((each) => ({ each, edits: editDistance(name, each) })).toSorted((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best && best.edits <= Math.max(2, Math.floor(name.length / 3)) ? best.each : undefined;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitute, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

function camel(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export { renderUsage };
