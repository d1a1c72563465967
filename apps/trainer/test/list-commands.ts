import type { ArgDef, ArgsDef, CommandDef } from "citty";
import type { CommandContext } from "../src/commands/common.ts";
import { commandTable } from "../src/commands/table.ts";
import type { CommandList, ListedFlag, ListedWords } from "../src/completion/command-list.ts";
import { helpCommand } from "../src/dispatch/find-command.ts";
import { presetNames } from "@laconic/runtime/resolver";

const runArguments = new Set(["directory", "run", "first", "second", "source"]);

/** Reads every command: for the file that completion is written from, not for a start. */
export async function listCommands(context: CommandContext): Promise<CommandList> {
  const commands: ListedWords[] = [];
  for (const { name, description, load } of commandTable) {
    const definition = (await load())(context, { value: 0 });
    const inner = definition.subCommands as Readonly<Record<string, CommandDef>> | undefined;
    commands.push(wordsOf(name, description, definition));
    for (const [second, each] of Object.entries(inner ?? {})) {
      const meta = each.meta as { readonly description?: string } | undefined;
      commands.push(wordsOf(`${name} ${second}`, meta?.description ?? "", each));
    }
  }
  commands.push(wordsOf(helpCommand.name, helpCommand.description, {}));
  return { commands, presets: presetNames };
}

function wordsOf(name: string, description: string, definition: CommandDef): ListedWords {
  const args = Object.entries((definition.args ?? {}) as ArgsDef);
  const positional = args.filter(([, { type }]) => type === "positional");
  const [first = ""] = positional[0] ?? [];
  return {
    name,
    description,
    arguments: positional.map(([argument, each]) => ({
      name: each.valueHint ?? argument.toUpperCase(),
      description: each.description ?? "",
      required: each.required !== false && each.default === undefined,
    })),
    flags: args.filter(([, { type }]) => type !== "positional").map(([flag, arg]) => flagOf(flag, arg)),
    takes: first === "config" ? "configuration" : runArguments.has(first) ? "run" : "other",
  };
}

function flagOf(name: string, arg: ArgDef): ListedFlag {
  const alias = "alias" in arg && arg.alias !== undefined ? [arg.alias].flat() : [];
  return {
    name,
    description: arg.description ?? "",
    valued: arg.type === "string" || arg.type === "enum",
    values: arg.type === "enum" ? (arg.options ?? []) : [],
    ...(arg.valueHint !== undefined && { hint: arg.valueHint }),
    ...(arg.default !== undefined && { default: String(arg.default) }),
    ...(arg.required === true && arg.default === undefined && { required: true }),
    ...(alias.length > 0 && { alias }),
  };
}
