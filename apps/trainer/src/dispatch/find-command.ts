import type { CommandDef } from "citty";
import type { CommandContext } from "../commands/common.ts";
import { commandTable } from "../commands/table.ts";
import type { ExitCode } from "../cli/command.ts";
import { innerNames } from "./usage.ts";

/** What the words of a command line name. */
export interface FoundCommand {
  /** Names on the way to it: `data`, `ls`; empty for the root. */
  readonly path: readonly string[];
  /** Words behind it. */
  readonly rest: readonly string[];
  /** Why it cannot be run; null where it can. */
  readonly problem: string | null;
}

/** Whoever asks for help has the root show them; loads no command. */
export const helpCommand = { name: "help", description: "Show the help of a command: laconic help train" } as const;

const rootFlags: readonly string[] = ["--help", "-h", "--version", "-v"];

/** The command that the words name, as deep as they go; none is loaded. */
export async function findCommand(words: readonly string[]): Promise<FoundCommand> {
  const [name, ...rest] = words;
  if (name === undefined || name.startsWith("-"))
    return { path: [], rest: words, problem: await withoutCommand(name, words) };
  const known = [...innerNames("")];
  if (!commandTable.some((each) => each.name === name))
    return { path: [], rest: words, problem: await unknown("command", name, known) };
  const inner = innerNames(name);
  if (inner.length === 0) return { path: [name], rest, problem: null };
  const [second, ...others] = rest;
  if (second === undefined || second.startsWith("-"))
    return { path: [name], rest, problem: `No command specified: ${inner.join(", ")}` };
  if (!inner.includes(second)) return { path: [name], rest, problem: await unknown("command", second, inner) };
  return { path: [name, second], rest: others, problem: null };
}

/** The command that was found, read from its file. */
export async function loadCommand(
  { path: [name, second] }: Pick<FoundCommand, "path">,
  context: CommandContext,
  exit: ExitCode,
): Promise<CommandDef> {
  const listed = commandTable.find((each) => each.name === name);
  if (!listed) throw new Error(`there is no command ${name}`);
  const { whileLoading = (_, load) => load() } = context;
  const loaded = (await whileLoading(listed.name, listed.load))(context, exit);
  if (second === undefined) return { ...loaded, meta: { name: listed.name, description: listed.description } };
  const inner = loaded.subCommands as Readonly<Record<string, CommandDef>> | undefined;
  const leaf = inner && Object.hasOwn(inner, second) ? inner[second] : undefined;
  if (!leaf) throw new Error(`there is no command ${name} ${second}`);
  return leaf;
}

/** Words that begin with a flag, or no words. */
async function withoutCommand(flag: string | undefined, words: readonly string[]): Promise<string> {
  const behind = words.find((word) => !word.startsWith("-"));
  if (flag !== undefined && behind === undefined && !rootFlags.includes(flag))
    return unknown(
      "flag",
      flag.split("=")[0] as string,
      rootFlags.filter((each) => each.startsWith("--")),
    );
  const misplaced = behind === undefined ? "" : `; flags stand behind the command: laconic ${behind} ${flag}`;
  return `No command specified${misplaced}`;
}

async function unknown(kind: string, name: string, known: readonly string[]): Promise<string> {
  // Only who mistypes waits for it.
  const { nearestName } = await import("@laconic/core");
  const near = nearestName(name, known);
  return `Unknown ${kind} ${name}${near === undefined ? "" : `; did you mean ${near}?`}`;
}
