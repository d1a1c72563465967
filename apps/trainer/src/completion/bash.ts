import type { CommandList, ListedWords } from "./command-list.ts";
import { innerNames, quoted, rootNames, runFolders } from "./shell-text.ts";

/** The script of bash. Names of files never pass `compgen -W`, which would run what they hold. */
export function bashCompletion({ commands, presets }: CommandList): string {
  const groups = innerNames(commands);
  const names = rootNames(commands).map(({ name }) => name);
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
    _laconic_add ${names.join(" ")} --help --version
    return
  fi
  case $name in
${[...groups].map(([name, inner]) => `    ${name})\n      if [[ \${#words[@]} -eq 3 ]]; then _laconic_add ${inner.join(" ")} --help; return; fi\n      name="$name \${words[2]}" ;;`).join("\n")}
    help)
      _laconic_add ${names.join(" ")}
      return ;;
    completion)
      _laconic_add bash zsh fish
      return ;;
  esac
  case "$name $previous" in
${commands.flatMap(valuesOf).join("\n")}
    *' --run') _laconic_runs; return ;;
${commands.flatMap(filesOf).join("\n")}
  esac
  if [[ $cur == -* ]]; then
    case $name in
${commands.map(({ name, flags }) => `      ${quoted(name)}) _laconic_add ${[...flags.map((flag) => `--${flag.name}`), "--help"].join(" ")} ;;`).join("\n")}
    esac
    return
  fi
  case $name in
${commands
  .filter(({ takes }) => takes === "configuration")
  .map(
    ({ name }) =>
      `    ${quoted(name)}) _laconic_add ${presets.map((each) => `preset:${each}`).join(" ")}; _laconic_files -f ;;`,
  )
  .join("\n")}
${commands
  .filter(({ takes }) => takes === "run")
  .map(({ name }) => `    ${quoted(name)}) _laconic_runs ;;`)
  .join("\n")}
    *) _laconic_files -f ;;
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

function valuesOf({ name, flags }: ListedWords): string[] {
  return flags.flatMap(({ name: flag, values }) =>
    values.length === 0 ? [] : [`    ${quoted(`${name} --${flag}`)}) _laconic_add ${values.join(" ")}; return ;;`],
  );
}

function filesOf({ name, flags }: ListedWords): string[] {
  const open = flags.filter(({ valued, values }) => valued && values.length === 0);
  return open.length === 0
    ? []
    : [`    ${open.map((flag) => quoted(`${name} --${flag.name}`)).join("|")}) _laconic_files -f; return ;;`];
}
