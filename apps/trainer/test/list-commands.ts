import { presetNames } from "@laconic/runtime/resolver";
import { flagGroups, type Argument, type FlagGroup } from "../src/cli/arguments.ts";
import type { Command } from "../src/cli/command.ts";
import { commandGroups, commandTable } from "../src/commands/table.ts";
import type { CommandList, ListedFlag, ListedWords } from "../src/completion/command-list.ts";
import { helpCommand } from "../src/dispatch/find-command.ts";
import rows from "./preset-lines.json" with { type: "json" };

const presetLines: Readonly<Record<string, string>> = rows;

const runArguments = new Set(["directory", "run", "first", "second", "source"]);

export async function listCommands(): Promise<CommandList> {
  const commands: ListedWords[] = [];
  for (const [name, load] of Object.entries(commandTable)) {
    const [group = ""] = name.split(" ");
    const description = commandGroups[group];
    if (description !== undefined && !commands.some((listed) => listed.name === group))
      commands.push(listedWords(group, { description, args: {}, examples: [] }));
    commands.push(listedWords(name, await load()));
  }
  commands.push(listedWords(helpCommand.name, { ...helpCommand, args: {}, examples: ["laconic help train"] }));
  const presets = presetNames.map((name) => ({ name, description: presetLines[name] ?? "" }));
  return { commands, presets };
}

function listedWords(
  name: string,
  { description, args, examples }: Pick<Command, "description" | "args" | "examples">,
): ListedWords {
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
    flags: flagGroups.flatMap((group) =>
      Object.entries(args).flatMap(([flag, argument]) =>
        argument.group === group ? [listedFlag(flag, group, argument)] : [],
      ),
    ),
    examples,
    takes: first === "config" ? "configuration" : runArguments.has(first) ? "run" : "other",
  };
}

function listedFlag(
  name: string,
  group: FlagGroup,
  { kind, description, options = [], hint, default: usual, required, alias }: Argument,
): ListedFlag {
  return {
    name,
    group,
    description,
    valued: kind === "value",
    values: options,
    ...(hint !== undefined && { hint }),
    ...(usual !== undefined && { default: usual }),
    ...(required && { required }),
    ...(alias !== undefined && { alias: [alias] }),
  };
}
