import { stripVTControlCharacters } from "node:util";
import { renderUsage, type CommandDef } from "citty";
import { rootCommand, rootMeta, type FoundCommand } from "./find-command.ts";
import type { Terminal } from "../cli/terminal.ts";

/** How a command is used. citty colours its text for every output; a pipe gets plain text. */
export async function usageOf(
  { definition, path }: Pick<FoundCommand, "definition" | "path">,
  terminal: Terminal,
): Promise<string> {
  const written = path.length === 0 ? await rootUsage() : await renderUsage(...(await inPlace(definition, path)));
  const usage = written.replaceAll(/[ \t]+$/gmu, "");
  return terminal.interactive ? usage : stripVTControlCharacters(usage);
}

/** Names of commands stand once, in their list. */
async function rootUsage(): Promise<string> {
  const names = Object.keys(rootCommand.subCommands as object).join("|");
  return (await renderUsage(rootCommand)).replace(names, "COMMAND");
}

/** A command, and its parent as the usage line names it: `laconic data`. */
async function inPlace(
  definition: CommandDef,
  path: readonly string[],
): Promise<[command: CommandDef, parent: CommandDef]> {
  const { meta } = definition;
  const own = await (typeof meta === "function" ? meta() : meta);
  const name = path.at(-1) as string;
  return [
    { ...definition, meta: { ...own, name } },
    { meta: { ...rootMeta, name: ["laconic", ...path.slice(0, -1)].join(" ") } },
  ];
}
