import type { ArgsDef, CommandDef } from "citty";
import type { CommandContext } from "../commands/common.ts";
import { commandTable } from "../commands/table.ts";
import type { CommandList, ListedWords } from "../completion/command-list.ts";
import { rootCommand } from "../dispatch/find-command.ts";
import { presetNames } from "../presets/index.ts";

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
  const known = new Set(commands.map(({ name }) => name));
  const others = Object.entries(rootCommand.subCommands as Readonly<Record<string, CommandDef>>);
  for (const [name, { meta }] of others)
    if (!known.has(name))
      commands.push(wordsOf(name, (meta as { readonly description?: string }).description ?? "", {}));
  return { commands, presets: presetNames };
}

function wordsOf(name: string, description: string, definition: CommandDef): ListedWords {
  const args = Object.entries((definition.args ?? {}) as ArgsDef);
  const positional = args.find(([, { type }]) => type === "positional")?.[0] ?? "";
  return {
    name,
    description,
    flags: args.flatMap(([flag, arg]) =>
      arg.type === "positional"
        ? []
        : [
            {
              name: flag,
              description: arg.description ?? "",
              valued: arg.type === "string" || arg.type === "enum",
              values: arg.type === "enum" ? (arg.options ?? []) : [],
            },
          ],
    ),
    takes: positional === "config" ? "configuration" : runArguments.has(positional) ? "run" : "other",
  };
}
