import { allNodes, type Node } from './describe-tree';

/** A completion script for bash: the words before the cursor name a command, and its words are offered. */
export function writeBash(tree: Node): string {
  const nodes = allNodes(tree);
  const paths = nodes
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => `      '${path.join(' ')}') ;;`);
  const words = nodes.map(({ path, commands, options, choices }) => {
    const offered = [
      ...commands.map(({ path: to }) => to.at(-1) ?? ''),
      ...choices,
      ...options.map(({ long }) => long),
    ];
    return `    '${path.join(' ')}') words='${offered.join(' ')}' ;;`;
  });
  const withValue = [
    ...new Set(
      nodes.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue)).map(({ long }) => long),
    ),
  ];
  return `# bash completion of aosc: source <(aosc completion bash)
_aosc() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' word next skip='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ -n "$skip" ]]; then skip=''; continue; fi
    case "$word" in
      ${withValue.join('|')}) skip=1; continue ;;
      -*) continue ;;
    esac
    next="\${path:+$path }$word"
    case "$next" in
${paths.join('\n')}
      *) continue ;;
    esac
    path="$next"
  done
  case "$prev" in
    --ca) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    ${withValue.join('|')}) return ;;
  esac
  case "$path" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _aosc aosc
`;
}
