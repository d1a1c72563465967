import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runFiles } from "@laconic/core/run-folder";
import type { CommandList, ListedWords } from "./command-list.ts";

export interface Candidate {
  readonly word: string;
  readonly description: string;
}

/**
 * Completes the last word, which may be empty.
 * @param words - command line after `laconic`, up to the cursor
 * @param shells - values of `laconic completion`
 */
export function completeWords(
  { commands, presets }: CommandList,
  words: readonly string[],
  shells: readonly string[],
): Candidate[] {
  const prefix = words.at(-1) ?? "";
  const typed = words.slice(0, -1);
  const command = deepestCommand(commands, typed);
  const depth = command === undefined ? 0 : command.name.split(" ").length;
  const candidates = [
    ...(typed.length === depth ? innerCommands(commands, command?.name ?? "") : []),
    ...(command ? argumentsOf(command, typed.at(-1) ?? "", prefix, presets) : []),
    ...(command?.name === "completion" ? shells.map((word) => ({ word, description: "" })) : []),
    ...(command?.name === "help" ? innerCommands(commands, "") : []),
  ];
  return candidates.filter(({ word }) => word.startsWith(prefix));
}

function deepestCommand(commands: readonly ListedWords[], typed: readonly string[]): ListedWords | undefined {
  const names = [typed.slice(0, 2).join(" "), typed[0]];
  return names.flatMap((name) => commands.find((command) => command.name === name) ?? [])[0];
}

function innerCommands(commands: readonly ListedWords[], group: string): Candidate[] {
  const depth = group === "" ? 1 : 2;
  return commands.flatMap(({ name, description }) => {
    const path = name.split(" ");
    const isInside = path.length === depth && (group === "" || path[0] === group);
    return isInside ? [{ word: path.at(-1) as string, description }] : [];
  });
}

function argumentsOf(
  { flags, takes }: ListedWords,
  previous: string,
  prefix: string,
  presets: readonly string[],
): Candidate[] {
  const words = (values: readonly string[]): Candidate[] => values.map((word) => ({ word, description: "" }));
  const flag = flags.find(({ name, valued }) => valued && previous === `--${name}`);
  if (flag) return words(flag.name === "run" ? runFolders(prefix) : flag.values);
  if (prefix.startsWith("-")) return flags.map(({ name, description }) => ({ word: `--${name}`, description }));
  if (takes === "configuration") return words(presets.map((name) => `preset:${name}`));
  return takes === "run" ? words(runFolders(prefix)) : [];
}

/** Run folders here, in `runs`, in the `runs` of sweeps, and below the typed folder. */
function runFolders(prefix: string): string[] {
  const typed = prefix.includes("/") ? prefix.slice(0, prefix.lastIndexOf("/")) : "";
  const places = new Set(["", "runs", ...foldersIn("").map((name) => join(name, "runs")), typed]);
  return [...places].flatMap((place) =>
    foldersIn(place)
      .map((name) => (place === "" ? name : `${place}/${name}`))
      .filter((path) => [runFiles.config, runFiles.metrics].every((file) => existsSync(join(path, file)))),
  );
}

function foldersIn(place: string): string[] {
  try {
    const entries = readdirSync(place === "" ? "." : place, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : []));
  } catch {
    return []; // not a readable folder
  }
}
