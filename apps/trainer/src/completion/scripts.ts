/** Scripts by shell. They ask `laconic completion words`, and fall back to files. */
export const completionScripts: Readonly<Record<string, string>> = {
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
