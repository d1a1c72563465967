import type { CommandList, ListedWords } from "./command-list.ts";
import { fishQuoted, innerNames, rootNames, runFolders } from "./shell-text.ts";

/** The script of fish. */
export function fishCompletion({ commands, presets }: CommandList): string {
  const groups = innerNames(commands);
  return `# laconic for fish: laconic completion fish | source
function __laconic_at
    set -l words (commandline -opc) '' ''
    set -l last (math 1 + (count $argv))
    test "$words[2..$last]" = "$argv"
end
function __laconic_first
    test (count (commandline -opc)) -eq 1
end
function __laconic_second
    set -l words (commandline -opc)
    test (count $words) -eq 2; and test "$words[2]" = "$argv[1]"
end
function __laconic_runs
    for folder in ${runFolders.map((place) => `${place}*/`).join(" ")}
        test -f $folder/config.json; and test -f $folder/metrics.jsonl; and string trim --right --chars=/ -- $folder
    end
end
complete -c laconic -n __laconic_first -f -l help -d 'Show how it is used'
complete -c laconic -n __laconic_first -f -l version -d 'Show the version'
${rootNames(commands)
  .map(
    ({ name, description }) =>
      `complete -c laconic -n __laconic_first -f -a ${name} -d ${fishQuoted(description)}\ncomplete -c laconic -n '__laconic_second help' -f -a ${name} -d ${fishQuoted(description)}`,
  )
  .join("\n")}
complete -c laconic -n '__laconic_second completion' -f -a 'bash zsh fish'
${commands
  .filter(({ name }) => name.includes(" "))
  .map(({ name, description }) => {
    const [group, second] = name.split(" ");
    return `complete -c laconic -n '__laconic_second ${group}' -f -a ${second} -d ${fishQuoted(description)}`;
  })
  .join("\n")}
${commands
  .filter(({ name }) => !groups.has(name))
  .flatMap((command) => linesOf(command, presets))
  .join("\n")}
`;
}

function linesOf({ name, flags, takes }: ListedWords, presets: readonly string[]): string[] {
  const at = `complete -c laconic -n '__laconic_at ${name}'`;
  return [
    ...flags.map(({ name: flag, description, valued, values }) => {
      const of = values.length > 0 ? ` -x -a ${fishQuoted(values.join(" "))}` : valued ? " -r" : "";
      const runs = flag === "run" ? " -a '(__laconic_runs)'" : "";
      return `${at} -l ${flag}${of}${runs} -d ${fishQuoted(description)}`;
    }),
    ...(takes === "configuration" ? [`${at} -a ${fishQuoted(presets.map((each) => `preset:${each}`).join(" "))}`] : []),
    ...(takes === "run" ? [`${at} -a '(__laconic_runs)'`] : []),
  ];
}
