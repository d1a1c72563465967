import type { CommandList } from "./command-list.ts";
import { argumentCases, flagCases, nameCases, valueCases, type ShellActions } from "./shell-cases.ts";
import { rootNames, runFolders } from "./shell-text.ts";

const add = (words: readonly string[]): string => `_laconic_add ${words.join(" ")}`;
const namesOf = (rows: readonly { readonly name: string }[]): string[] => rows.map(({ name }) => name);

const actions: ShellActions = {
  words: add,
  inner: (commands) => add([...namesOf(commands), "--help"]),
  commands: (commands) => add(namesOf(commands)),
  flags: (flags) => add(namesOf(flags)),
  files: "_laconic_files -f",
  runs: "_laconic_runs",
  isSecond: "[[ ${#words[@]} -eq 3 ]]",
  second: "${words[2]}",
};

/** The script of bash. Names of files never pass `compgen -W`, which would run what they hold. */
export function bashCompletion(list: CommandList): string {
  const { commands } = list;
  return `# laconic for bash: source <(laconic completion bash)
_laconic_add() {
  local word
  for word in "$@"; do [[ $word == "$cur"* ]] && COMPREPLY+=("$word"); done
}
_laconic_files() {
  local word
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$1" -- "$cur")
}
_laconic_runs() {
  local folder
  compopt -o filenames 2>/dev/null
  for folder in ${runFolders.map((place) => `${place}*/`).join(" ")} \${cur:+"\${cur%/}"/*/}; do
    [[ -f \${folder}config.json && -f \${folder}metrics.jsonl && \${folder%/} == "$cur"* ]] && COMPREPLY+=("\${folder%/}")
  done
  [[ \${#COMPREPLY[@]} -gt 0 ]] || _laconic_files -d
}
_laconic() {
  local cur line words name previous
  line=\${COMP_LINE:0:COMP_POINT}
  read -ra words <<< "$line"
  cur=\${line##*[[:space:]]}
  [[ -n $cur ]] || words+=("")
  COMPREPLY=()
  name=\${words[1]} previous=\${words[\${#words[@]}-2]}
  if [[ \${#words[@]} -le 2 ]]; then
    ${add([...namesOf(rootNames(commands)), "--help", "--version"])}
    return
  fi
  case $name in
${nameCases(commands, actions)}
  esac
  case "$name $previous" in
${valueCases(commands, actions)}
  esac
  if [[ $cur == -* ]]; then
    case $name in
${flagCases(commands, actions)}
    esac
    return
  fi
  case $name in
${argumentCases(list, actions)}
  esac
  # What stands before a colon is there already.
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local i before=\${cur%"\${cur##*:}"}
    for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]=\${COMPREPLY[i]#"$before"}; done
  fi
}
complete -F _laconic laconic
`;
}
