import type { CommandList, ListedWords } from "./command-list.ts";
import { innerNames, quoted, rootNames } from "./shell-text.ts";

/** A command or flag that is offered. */
export type Offered = Pick<ListedWords, "name" | "description">;

/** How a shell offers what fits: all in which the scripts of bash and zsh differ, but for how they find the words of the line. */
export interface ShellActions {
  /** Words that are known. */
  words(words: readonly string[]): string;
  /** Commands inside another, and what stands beside them. */
  inner(commands: readonly Offered[]): string;
  /** All commands. */
  commands(commands: readonly Offered[]): string;
  /** Flags of a command. */
  flags(flags: readonly Offered[]): string;
  readonly files: string;
  readonly runs: string;
  /** Whether the word behind a group of commands is asked for. */
  readonly isSecond: string;
  /** That word. */
  readonly second: string;
}

/** The arms of `case $name` before flags: commands inside others, and words that are commands or shells. */
export function nameCases(commands: readonly ListedWords[], actions: ShellActions): string {
  const groups = [...innerNames(commands).keys()].map((group) => {
    const inner = commands.filter(({ name }) => name.startsWith(`${group} `));
    const offered = actions.inner(inner.map((each) => ({ ...each, name: each.name.slice(group.length + 1) })));
    return `    ${group})\n      if ${actions.isSecond}; then ${offered}; return; fi\n      name="$name ${actions.second}" ;;`;
  });
  return [
    ...groups,
    `    help) ${actions.commands(rootNames(commands))}; return ;;`,
    `    completion) ${actions.words(["bash", "zsh", "fish"])}; return ;;`,
  ].join("\n");
}

/** The arms of `case "$name $previous"`: what stands behind a flag. */
export function valueCases(commands: readonly ListedWords[], { words, files, runs }: ShellActions): string {
  return [
    ...commands.flatMap(({ name, flags }) =>
      flags.flatMap(({ name: flag, values }) =>
        values.length === 0 ? [] : [`    ${quoted(`${name} --${flag}`)}) ${words(values)}; return ;;`],
      ),
    ),
    `    *' --run') ${runs}; return ;;`,
    ...commands.flatMap(({ name, flags }) => {
      const open = flags.filter(({ valued, values }) => valued && values.length === 0);
      const places = open.map((flag) => quoted(`${name} --${flag.name}`)).join("|");
      return open.length === 0 ? [] : [`    ${places}) ${files}; return ;;`];
    }),
  ].join("\n");
}

/** The arms of `case $name` where a flag is begun. */
export function flagCases(commands: readonly ListedWords[], { flags: offer }: ShellActions): string {
  const help = { name: "--help", description: "Show how it is used" };
  return commands
    .map(({ name, flags }) => {
      const rows = flags.map((flag) => ({ ...flag, name: `--${flag.name}` }));
      return `      ${quoted(name)}) ${offer([...rows, help])} ;;`;
    })
    .join("\n");
}

/** The arms of the last `case $name`: what a command takes. */
export function argumentCases({ commands, presets }: CommandList, { words, files, runs }: ShellActions): string {
  const taking = (what: ListedWords["takes"], action: string): string[] =>
    commands.filter(({ takes }) => takes === what).map(({ name }) => `    ${quoted(name)}) ${action} ;;`);
  const known = words(presets.map((each) => `preset:${each}`));
  return [...taking("configuration", `${known}; ${files}`), ...taking("run", runs), `    *) ${files} ;;`].join("\n");
}
