import type { CommandList, ListedWords } from "./command-list.ts";
import { innerNames, quoted, rootNames, runFolders } from "./shell-text.ts";

/** The script of zsh. */
export function zshCompletion({ commands, presets }: CommandList): string {
  const groups = innerNames(commands);
  const described = (rows: readonly { readonly name: string; readonly description: string }[]): string =>
    rows.map(({ name, description }) => quoted(`${name}:${description}`)).join(" ");
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
    list=(${described(rootNames(commands))})
    _describe -t commands command list
    return
  fi
  case $name in
${[...groups]
  .map(([name]) => {
    const inner = commands.filter((each) => each.name.startsWith(`${name} `));
    const list = described(inner.map((each) => ({ ...each, name: each.name.slice(name.length + 1) })));
    return `    ${name})\n      if (( CURRENT == 3 )); then list=(${list}); _describe -t commands command list; return; fi\n      name="$name $words[3]" ;;`;
  })
  .join("\n")}
    help) list=(${described(rootNames(commands))}); _describe -t commands command list; return ;;
    completion) compadd -- bash zsh fish; return ;;
  esac
  case "$name $previous" in
${commands.flatMap(valuesOf).join("\n")}
    *' --run') _laconic_runs; return ;;
${commands.flatMap(filesOf).join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then
    case $name in
${commands
  .map(({ name, flags }) => {
    const rows = flags.map((flag) => ({ ...flag, name: `--${flag.name}` }));
    return `      ${quoted(name)}) list=(${described([...rows, { name: "--help", description: "Show how it is used" }])}) ;;`;
  })
  .join("\n")}
    esac
    _describe -t flags flag list
    return
  fi
  case $name in
${commands
  .filter(({ takes }) => takes === "configuration")
  .map(({ name }) => `    ${quoted(name)}) compadd -- ${presets.map((each) => `preset:${each}`).join(" ")}; _files ;;`)
  .join("\n")}
${commands
  .filter(({ takes }) => takes === "run")
  .map(({ name }) => `    ${quoted(name)}) _laconic_runs ;;`)
  .join("\n")}
    *) _files ;;
  esac
}
compdef _laconic laconic
`;
}

function valuesOf({ name, flags }: ListedWords): string[] {
  return flags.flatMap(({ name: flag, values }) =>
    values.length === 0 ? [] : [`    ${quoted(`${name} --${flag}`)}) compadd -- ${values.join(" ")}; return ;;`],
  );
}

function filesOf({ name, flags }: ListedWords): string[] {
  const open = flags.filter(({ valued, values }) => valued && values.length === 0);
  return open.length === 0
    ? []
    : [`    ${open.map((flag) => quoted(`${name} --${flag.name}`)).join("|")}) _files; return ;;`];
}
