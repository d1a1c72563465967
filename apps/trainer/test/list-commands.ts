import { presetNames } from "@laconic/runtime/resolver";
import type { Argument } from "../src/cli/arguments.ts";
import type { Command } from "../src/cli/command.ts";
import { commandGroups, commandTable } from "../src/commands/table.ts";
import type { CommandList, ListedFlag, ListedWords } from "../src/completion/command-list.ts";
import { helpCommand } from "../src/dispatch/find-command.ts";

const runArguments = new Set(["directory", "run", "first", "second", "source"]);

/** Reads every command, as in `assets/commands.json`. */
export async function listCommands(): Promise<CommandList> {
  const commands: ListedWords[] = [];
  for (const [name, load] of Object.entries(commandTable)) {
    const [group = ""] = name.split(" ");
    const description = commandGroups[group];
    if (description !== undefined && !commands.some((listed) => listed.name === group))
      commands.push(listedWords(group, { description, args: {} }));
    commands.push(listedWords(name, await load()));
  }
  commands.push(listedWords(helpCommand.name, { ...helpCommand, args: {} }));
  return { commands, presets: presetNames };
}

function listedWords(name: string, { description, args }: Pick<Command, "description" | "args">): ListedWords {
  const words = Object.entries(args).filter(([, { kind }]) => kind === "positional");
  const [first = ""] = words[0] ?? [];
  return {
    name,
    description,
    arguments: words.map(([word, argument]) => ({
      name: argument.hint ?? word.toUpperCase(),
      description: argument.description,
      required: argument.required === true,
    })),
    flags: Object.entries(args).flatMap(([flag, argument]) =>
      argument.kind === "positional" ? [] : [listedFlag(flag, argument)],
    ),
    takes: first === "config" ? "configuration" : runArguments.has(first) ? "run" : "other",
  };
}

function listedFlag(
  name: string,
  { kind, description, options = [], hint, default: usual, required, alias }: Argument,
): ListedFlag {
  return {
    name,
    description,
    valued: kind === "value",
    values: options,
    ...(hint !== undefined && { hint }),
    ...(usual !== undefined && { default: usual }),
    ...(required && { required }),
    ...(alias !== undefined && { alias: [alias] }),
  };
}
