import type { CommandDef, CommandMeta } from "citty";
import packageJson from "../../package.json" with { type: "json" };
import type { CommandContext } from "../commands/common.ts";
import { commandTable } from "../commands/table.ts";
import type { ExitCode } from "../cli/command.ts";

/** What the words of a command line name. */
export interface FoundCommand {
  readonly definition: CommandDef;
  /** Names on the way to it: `data`, `ls`; empty for the root. */
  readonly path: readonly string[];
  /** Words behind it. */
  readonly rest: readonly string[];
  /** Why it cannot be run; null where it can. */
  readonly problem: string | null;
}

type Commands = Readonly<Record<string, CommandDef>>;

/** Whoever asks for help has the root show them; loads no command. */
const help: CommandDef = { meta: { name: "help", description: "Show the help of a command: laconic help train" } };

export const rootMeta: CommandMeta = {
  name: "laconic",
  version: packageJson.version,
  description: packageJson.description,
};

/** The command line itself, with what its commands are called and no more of them. */
export const rootCommand: CommandDef = {
  meta: rootMeta,
  subCommands: {
    ...Object.fromEntries(
      commandTable.map(({ name, description }): [string, CommandDef] => [name, { meta: { name, description } }]),
    ),
    help,
  },
};

/** The command that the words name, as deep as they go; that one alone is loaded. */
export async function findCommand(
  words: readonly string[],
  context: CommandContext,
  exit: ExitCode,
): Promise<FoundCommand> {
  const [name, ...rest] = words;
  if (name === undefined || name.startsWith("-")) {
    const behind = words.find((word) => !word.startsWith("-"));
    const misplaced = behind === undefined ? "" : `; flags stand behind the command: laconic ${behind} ${name}`;
    return { definition: rootCommand, path: [], rest: words, problem: `No command specified${misplaced}` };
  }
  const listed = commandTable.find((each) => each.name === name);
  if (!listed)
    return { definition: rootCommand, path: [], rest: words, problem: await unknown(name, rootCommand.subCommands) };
  const { whileLoading = (_, load) => load() } = context;
  const loaded = (await whileLoading(name, listed.load))(context, exit);
  const definition = { ...loaded, meta: { name, description: listed.description } };
  const inner = loaded.subCommands as Commands | undefined;
  if (!inner) return { definition, path: [name], rest, problem: null };
  const [second, ...others] = rest;
  if (second === undefined || second.startsWith("-"))
    return { definition, path: [name], rest, problem: `No command specified: ${Object.keys(inner).join(", ")}` };
  const leaf = Object.hasOwn(inner, second) ? inner[second] : undefined;
  if (!leaf) return { definition, path: [name], rest, problem: await unknown(second, inner) };
  return { definition: leaf, path: [name, second], rest: others, problem: null };
}

async function unknown(name: string, known: CommandDef["subCommands"]): Promise<string> {
  // Only who mistypes waits for it.
  const { nearestName } = await import("@laconic/core");
  const near = nearestName(name, Object.keys(known ?? {}));
  return `Unknown command ${name}${near === undefined ? "" : `; did you mean ${near}?`}`;
}
