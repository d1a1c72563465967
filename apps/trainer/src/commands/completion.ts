import list from "../../assets/commands.json" with { type: "json" };
import { positional } from "../cli/arguments.ts";
import { configError } from "@laconic/core";
import { runsFolder } from "../cli/files.ts";
import { command, type Command } from "../cli/command.ts";
import { visibleJson } from "../cli/terminal.ts";
import type { CommandList, ListedWords } from "../completion/command-list.ts";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runFiles } from "@laconic/core/run-folder";

/** Scripts by shell. They ask `laconic completion words`, and fall back to files. */
const completionScripts: Readonly<Record<string, string>> = {
  bash: String.raw`# laconic for bash: source <(laconic completion bash)
_laconic() {
  local line cur word words
  line=${"$"}{COMP_LINE:0:COMP_POINT}
  read -ra words <<< "$line"
  cur=${"$"}{line##*[[:space:]]}
  [[ -n $cur ]] || words+=("")
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do COMPREPLY+=("$word"); done < <(laconic completion words -- "${"$"}{words[@]:1}" 2>/dev/null)
  # Readline keeps what stands before a colon.
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local i before=${"$"}{cur%"${"$"}{cur##*:}"}
    for i in "${"$"}{!COMPREPLY[@]}"; do COMPREPLY[i]=${"$"}{COMPREPLY[i]#"$before"}; done
  fi
}
complete -o default -F _laconic laconic`,
  zsh: String.raw`#compdef laconic
# laconic for zsh: source <(laconic completion zsh)
_laconic() {
  local -a rows
  local row
  for row in ${"$"}{(f)"$(laconic completion words -- "${"$"}{(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    rows+=("${"$"}{${"$"}{row%%$'\t'*}//:/\\:}:${"$"}{row#*$'\t'}")
  done
  (( $#rows )) && _describe laconic rows || _files
}
compdef _laconic laconic`,
  fish: String.raw`# laconic for fish: laconic completion fish | source
function __laconic_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l rows (laconic completion words -- $words[2..] 2>/dev/null)
    if count $rows >/dev/null
        printf '%s\n' $rows
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c laconic -f -a '(__laconic_complete)'`,
};

const targets = [...Object.keys(completionScripts), "schema"];

export const completionCommand: Command = command({
  description: "Print the completion script of a shell, or the JSON schema of configurations",
  examples: ["laconic completion bash"],
  args: {
    target: positional("Shell to load the script into, or schema", targets.join("|")),
  },
  rest: "words",
  run: async ({ target }, { terminal, rest }) => {
    if (target === "words") {
      for (const { word, description } of completeWords(list as CommandList, rest))
        terminal.result(`${word}\t${description}`);
      return;
    }
    if (target === "schema") {
      const { configurationSchema } = await import("@laconic/runtime");
      terminal.result(visibleJson(configurationSchema(), 2));
      return;
    }
    const script = Object.hasOwn(completionScripts, target) ? completionScripts[target] : undefined;
    if (script === undefined)
      throw configError(`${target}: no completion; use one of: ${targets.join(", ")}`, { shell: target });
    terminal.result(script);
  },
});

interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** Completes the last word, which may be empty. @param words - command line after `laconic`, up to the cursor */
function completeWords({ commands, presets }: CommandList, words: readonly string[]): Candidate[] {
  const prefix = words.at(-1) ?? "";
  const typed = words.slice(0, -1);
  const deepest = deepestCommand(commands, typed);
  const depth = deepest === undefined ? 0 : deepest.name.split(" ").length;
  const candidates = [
    ...(typed.length === depth ? innerCommands(commands, deepest?.name ?? "") : []),
    ...(deepest ? argumentsOf(deepest, typed.at(-1) ?? "", prefix, presets) : []),
    ...(deepest?.name === "completion" ? targets.map((word) => ({ word, description: "" })) : []),
    ...(deepest?.name === "help" ? innerCommands(commands, "") : []),
  ];
  return candidates.filter(({ word }) => word.startsWith(prefix));
}

function deepestCommand(commands: readonly ListedWords[], typed: readonly string[]): ListedWords | undefined {
  const names = [typed.slice(0, 2).join(" "), typed[0]];
  return names.flatMap((name) => commands.find((listedWords) => listedWords.name === name) ?? [])[0];
}

function innerCommands(commands: readonly ListedWords[], group: string): Candidate[] {
  const depth = group === "" ? 1 : 2;
  return commands.flatMap(({ name, description }) => {
    const path = name.split(" ");
    const isInside = path.length === depth && (group === "" || path[0] === group);
    return isInside ? [{ word: path.at(-1)!, description }] : [];
  });
}

function argumentsOf(
  { flags, takes }: ListedWords,
  previous: string,
  prefix: string,
  presets: CommandList["presets"],
): Candidate[] {
  const words = (values: readonly string[]): Candidate[] => values.map((word) => ({ word, description: "" }));
  const flag = flags.find(({ name, valued }) => valued && previous === `--${name}`);
  if (flag) return words(flag.name === "run" ? runFolders(prefix) : flag.values);
  if (prefix.startsWith("-")) return flags.map(({ name, description }) => ({ word: `--${name}`, description }));
  if (takes === "configuration")
    return presets.map(({ name, description }) => ({ word: `preset:${name}`, description }));
  return takes === "run" ? words(runFolders(prefix)) : [];
}

/** Run folders here, in `runs`, in the `runs` of sweeps, and below the typed folder. */
function runFolders(prefix: string): string[] {
  const typed = prefix.includes("/") ? prefix.slice(0, prefix.lastIndexOf("/")) : "";
  const places = new Set(["", runsFolder, ...foldersIn("").map((name) => join(name, runsFolder)), typed]);
  return [...places].flatMap((location) =>
    foldersIn(location)
      .map((name) => (location === "" ? name : `${location}/${name}`))
      .filter((path) => [runFiles.config, runFiles.metrics].every((file) => existsSync(join(path, file)))),
  );
}

function foldersIn(location: string): string[] {
  try {
    const entries = readdirSync(location === "" ? "." : location, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : []));
  } catch {
    return []; // not a readable folder
  }
}
