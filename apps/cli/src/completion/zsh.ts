import { allNodes, type Node } from './describe-tree';

/** A completion script for zsh: as bash's, with descriptions. */
export function writeZsh(tree: Node): string {
  const nodes = allNodes(tree);
  const paths = nodes
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => `      '${path.join(' ')}') ;;`);
  const offers = nodes.map(({ path, commands, options, choices }) => {
    const lines = [
      ...commands.map((child) => entry(child.path.at(-1) ?? '', child.description)),
      ...choices.map((choice) => entry(choice, '')),
      ...options.map(({ long, description }) => entry(long, description)),
    ];
    return `    '${path.join(' ')}') offered=(${lines.join(' ')}) ;;`;
  });
  const withValue = [
    ...new Set(
      nodes.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue)).map(({ long }) => long),
    ),
  ];
  return `#compdef aosc
# zsh completion of aosc: aosc completion zsh > "\${fpath[1]}/_aosc"
_aosc() {
  local cmd='' next word skip='' i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n "$skip" ]]; then skip=''; continue; fi
    case "$word" in
      ${withValue.join('|')}) skip=1; continue ;;
      -*) continue ;;
    esac
    next="\${cmd:+$cmd }$word"
    case "$next" in
${paths.join('\n')}
      *) continue ;;
    esac
    cmd="$next"
  done
  case "\${words[CURRENT-1]}" in
    --ca) _files; return ;;
    ${withValue.join('|')}) return ;;
  esac
  case "$cmd" in
${offers.join('\n')}
  esac
  _describe 'aosc' offered
}
compdef _aosc aosc
`;
}

/** `name:description` in single quotes, in which zsh takes everything as it is but the quote and the first colon. */
function entry(name: string, description: string): string {
  return `'${`${name.replaceAll(':', '\\:')}:${description}`.replaceAll("'", `'\\''`)}'`;
}
