/** Each script hands the words up to the cursor to `aosc __complete`, which knows the commands and asks the API for names. */
export const scripts = {
  bash: `# bash completion of aosc: source <(aosc completion bash)
_aosc() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" line
  if [[ "\${COMP_WORDS[COMP_CWORD-1]}" == --ca ]]; then COMPREPLY=($(compgen -f -- "$cur")); return; fi
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    [[ "$line" == *= ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("$(printf '%q' "$line")")
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _aosc aosc
`,
  zsh: `#compdef aosc
# zsh completion of aosc: aosc completion zsh > "\${fpath[1]}/_aosc"
_aosc() {
  if [[ "\${words[CURRENT-1]}" == --ca ]]; then _files; return; fi
  local line
  local -a offered
  while IFS= read -r line; do
    offered+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe 'aosc' offered
}
compdef _aosc aosc
`,
  fish: `# fish completion of aosc: aosc completion fish > ~/.config/fish/completions/aosc.fish
function __aosc_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete -- $words[2..-1] 2>/dev/null
end
complete -c aosc -f -a '(__aosc_complete)'
complete -c aosc -l ca -r -F
`,
} as const;
export const shells = ['bash', 'zsh', 'fish'] as const;
