import { allNodes, type Node } from './describe-tree';

/** A completion script for fish: one line for each word, under the condition that its command was given. */
export function writeFish(tree: Node): string {
  const lines = allNodes(tree).flatMap((node) => {
    const condition = `-n '${conditionOf(node)}'`;
    return [
      ...node.commands.map(
        (child) =>
          `complete -c aosc -f ${condition} -a ${child.path.at(-1) ?? ''} -d ${quote(child.description)}`,
      ),
      ...node.choices.map((choice) => `complete -c aosc -f ${condition} -a ${choice}`),
      ...node.options.map(({ long, description, takesValue }) => {
        const value = takesValue ? (long === '--ca' ? ' -r' : ' -x') : '';
        return `complete -c aosc ${condition} -l ${long.slice(2)}${value} -d ${quote(description)}`;
      }),
    ];
  });
  return `# fish completion of aosc: aosc completion fish > ~/.config/fish/completions/aosc.fish\n${lines.join('\n')}\n`;
}

/** All words of the command, and none of the commands below it. */
function conditionOf({ path, commands }: Node): string {
  const given = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const below = commands.map((child) => child.path.at(-1) ?? '');
  const none = below.length === 0 ? [] : [`not __fish_seen_subcommand_from ${below.join(' ')}`];
  return [...given, ...none].join('; and ');
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
