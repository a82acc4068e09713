import type { Command } from 'commander';

/** A command as a completion script needs to know it. */
export interface Node {
  /** from the program on, without its name */
  readonly path: readonly string[];
  readonly description: string;
  readonly commands: readonly Node[];
  readonly options: readonly NodeOption[];
  /** values of its arguments, where only some are allowed */
  readonly choices: readonly string[];
}

interface NodeOption {
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
}

/** The tree with the options of the program at every command, where they are taken as well. */
export function describeTree(program: Command): Node {
  return describe(program, [], []);
}

function describe(command: Command, path: readonly string[], inherited: readonly NodeOption[]): Node {
  const own = command.options.flatMap(({ long, description, required, optional, hidden }): NodeOption[] =>
    typeof long !== 'string' || hidden ? [] : [{ long, description, takesValue: required || optional }],
  );
  const options = [...own, ...inherited];
  const forAll = path.length === 0 ? own.filter(({ long }) => long !== '--version') : inherited;
  const help: NodeOption = { long: '--help', description: 'show help', takesValue: false };
  return {
    path,
    description: command.description(),
    commands: command.commands.map((child) => describe(child, [...path, child.name()], forAll)),
    options: [...options, help],
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
}

/** The node and all below it. */
export function allNodes(node: Node): readonly Node[] {
  return [node, ...node.commands.flatMap(allNodes)];
}
