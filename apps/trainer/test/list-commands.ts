import { presetNames } from "@laconic/runtime/resolver";
import type { Argument, Command } from "../src/cli/command.ts";
import { commandGroups, commandTable } from "../src/commands/table.ts";
import type { CommandList, ListedFlag, ListedWords } from "../src/completion/command-list.ts";
import { helpCommand } from "../src/dispatch/find-command.ts";

const runArguments = new Set(["directory", "run", "first", "second", "source"]);

/** Reads every command: what `assets/commands.json` holds. */
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
  const words = Object.entries(args).flatMap(([word, argument]) =>
    argument.type === "positional" ? [[word, argument] as const] : [],
  );
  const [first = ""] = words[0] ?? [];
  return {
    name,
    description,
    arguments: words.map(([word, argument]) => ({
      name: argument.valueHint ?? word.toUpperCase(),
      description: argument.description ?? "",
      required: argument.required !== false,
    })),
    flags: Object.entries(args).flatMap(([flag, argument]) =>
      argument.type === "positional" ? [] : [listedFlag(flag, argument)],
    ),
    takes: first === "config" ? "configuration" : runArguments.has(first) ? "run" : "other",
  };
}

function listedFlag(name: string, flag: Exclude<Argument, { readonly type: "positional" }>): ListedFlag {
  return {
    name,
    description: flag.description ?? "",
    valued: flag.type !== "boolean",
    values: flag.type === "enum" ? flag.options : [],
    ...(flag.valueHint !== undefined && { hint: flag.valueHint }),
    ...(flag.type !== "boolean" && flag.default !== undefined && { default: flag.default }),
    ...(flag.type === "string" && flag.required && { required: true as const }),
    ...(flag.type === "boolean" && flag.alias !== undefined && { alias: [flag.alias] }),
  };
}
