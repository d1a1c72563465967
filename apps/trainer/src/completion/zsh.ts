import type { CommandList } from "./command-list.ts";
import { argumentCases, flagCases, nameCases, valueCases, type Offered, type ShellActions } from "./shell-cases.ts";
import { quoted, rootNames, runFolders } from "./shell-text.ts";

const listOf = (rows: readonly Offered[]): string =>
  `list=(${rows.map(({ name, description }) => quoted(`${name}:${description}`)).join(" ")})`;
const commandsIn = (rows: readonly Offered[]): string => `${listOf(rows)}; _describe -t commands command list`;

const actions: ShellActions = {
  words: (words) => `compadd -- ${words.join(" ")}`,
  inner: commandsIn,
  commands: commandsIn,
  flags: listOf,
  files: "_files",
  runs: "_laconic_runs",
  isSecond: "(( CURRENT == 3 ))",
  second: "$words[3]",
};

/** The script of zsh. */
export function zshCompletion(list: CommandList): string {
  const { commands } = list;
  return `#compdef laconic
# laconic for zsh: source <(laconic completion zsh)
_laconic_runs() {
  local -a found
  local folder
  for folder in ${runFolders.map((place) => `${place}*(N/)`).join(" ")}; do
    [[ -f $folder/config.json && -f $folder/metrics.jsonl ]] && found+=("$folder")
  done
  (( $#found )) && compadd -f -- "\${found[@]}"
  _files -/
}
_laconic() {
  local -a list
  local name=$words[2] previous=$words[CURRENT-1]
  if (( CURRENT == 2 )); then
    ${commandsIn(rootNames(commands))}
    return
  fi
  case $name in
${nameCases(commands, actions)}
  esac
  case "$name $previous" in
${valueCases(commands, actions)}
  esac
  if [[ $PREFIX == -* ]]; then
    case $name in
${flagCases(commands, actions)}
    esac
    _describe -t flags flag list
    return
  fi
  case $name in
${argumentCases(list, actions)}
  esac
}
compdef _laconic laconic
`;
}
