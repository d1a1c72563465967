import type { Command, CommandContext } from "../cli/command.ts";
import { commandGroups, commandTable } from "../commands/table.ts";

export interface FoundCommand {
  /** Name such as `["data", "ls"]`; the group or root after a problem. */
  readonly path: readonly string[];
  readonly rest: readonly string[];
  /** Reason why it cannot run; null if it can. */
  readonly problem: string | null;
}

/** Prints without loading a command. */
export const helpCommand = {
  name: "help",
  description: "Show the help of a command, or of presets: laconic help presets",
} as const;

const rootFlags: readonly string[] = ["--help", "-h", "--version", "-v"];

/** Names of commands in a group, or all for the root. */
export function innerNames(group: string): string[] {
  const paths = Object.keys(commandTable).map((name) => name.split(" "));
  if (group !== "")
    return paths.flatMap(([first, second]) => (first === group && second !== undefined ? [second] : []));
  return [...new Set(paths.map(([first]) => first!)), helpCommand.name];
}

export async function findCommand(args: readonly string[]): Promise<FoundCommand> {
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith("-"))
    return { path: [], rest: args, problem: await problemWithoutCommand(name, args) };
  if (!innerNames("").includes(name))
    return { path: [], rest: args, problem: await unknownName("command", name, innerNames("")) };
  const inner = innerNames(name);
  const [second, ...others] = rest;
  if (second !== undefined && inner.includes(second)) return { path: [name, second], rest: others, problem: null };
  if (!Object.hasOwn(commandGroups, name)) return { path: [name], rest, problem: null };
  const isMissing = second === undefined || second.startsWith("-");
  const problem = isMissing
    ? `COMMAND: missing; use one of: ${inner.join(", ")}`
    : await unknownName("command", second, inner);
  return { path: [name], rest, problem };
}

export function loadCommand(
  { path }: Pick<FoundCommand, "path">,
  { whileLoading = (_, load) => load() }: CommandContext,
): Promise<Command> {
  const name = path.join(" ");
  const load = commandTable[name];
  if (!load) throw new Error(`unknown command ${name}`);
  return whileLoading(name, load);
}

async function problemWithoutCommand(flag: string | undefined, args: readonly string[]): Promise<string> {
  const name = args.find((word) => !word.startsWith("-"));
  if (flag !== undefined && name === undefined && !rootFlags.includes(flag))
    return unknownName(
      "flag",
      flag.split("=")[0]!,
      rootFlags.filter((item) => item.startsWith("--")),
    );
  const misplaced = name === undefined ? "" : `; write flags after the command: laconic ${name} ${flag}`;
  return `COMMAND: missing${misplaced}`;
}

async function unknownName(kind: string, name: string, names: readonly string[]): Promise<string> {
  const { nameHint } = await import("@laconic/core");
  const inner = Object.keys(commandTable).find((path) => path.split(" ")[1] === name);
  return `Unknown ${kind} ${name}; ${inner === undefined ? nameHint(name, names) : `did you mean ${inner}?`}`;
}
