import { readField, readNumber } from '../fields';

/** A function in the tree of calls, with what it called. Times in ms. */
export interface Frame {
  readonly name: string;
  /** where it stands; empty for V8's own */
  readonly place: string;
  /** with all that it called */
  readonly totalMs: number;
  readonly children: readonly Frame[];
}

interface ProfileNode {
  readonly name: string;
  readonly place: string;
  readonly children: readonly number[];
}

/** Time in which the process has done nothing. */
const idle = new Set(['(idle)']);

/**
 * The tree of calls of a profile as V8 writes it (`--cpu-prof`). What the same caller called at several places is one.
 * @throws Error when the text is no such profile
 */
export function readCallTree(text: string): Frame {
  const profile: unknown = JSON.parse(text);
  const nodes = new Map(listOf(profile, 'nodes').map((node) => [readNumber(node, 'id'), readNode(node)]));
  const selfMs = new Map<number, number>();
  const deltas = listOf(profile, 'timeDeltas');
  listOf(profile, 'samples').forEach((id, at) => {
    const [delta = 0] = deltas.slice(at, at + 1);
    if (typeof id !== 'number' || typeof delta !== 'number') throw new Error('a profile without its times');
    selfMs.set(id, (selfMs.get(id) ?? 0) + delta / 1000);
  });
  const [root] = nodes.keys();
  if (root === undefined) throw new Error('an empty profile');
  return build([root], nodes, selfMs);
}

function readNode(node: unknown): ProfileNode {
  const frame = readField(node, 'callFrame');
  const url = textOf(frame, 'url');
  const children = readField(node, 'children');
  return {
    name: textOf(frame, 'functionName') || '(anonymous)',
    place: url === '' ? '' : `${url.split('/').slice(-3).join('/')}:${readNumber(frame, 'lineNumber') + 1}`,
    children: Array.isArray(children) ? children.map(Number) : [],
  };
}

function textOf(value: unknown, name: string): string {
  const text = readField(value, name);
  return typeof text === 'string' ? text : '';
}

function build(
  ids: readonly number[],
  nodes: ReadonlyMap<number, ProfileNode>,
  selfMs: ReadonlyMap<number, number>,
): Frame {
  const same = ids.flatMap((id) => nodes.get(id) ?? []);
  const [first] = same;
  if (first === undefined) throw new Error('a profile that names a call it does not have');
  const callees = new Map<string, number[]>();
  for (const id of same.flatMap(({ children }) => children)) {
    const { name = '', place = '' } = nodes.get(id) ?? {};
    if (idle.has(name)) continue;
    const key = `${name} ${place}`;
    callees.set(key, [...(callees.get(key) ?? []), id]);
  }
  const children = [...callees.values()].map((some) => build(some, nodes, selfMs));
  const own = ids.reduce((sum, id) => sum + (selfMs.get(id) ?? 0), 0);
  const totalMs = children.reduce((sum, child) => sum + child.totalMs, own);
  return {
    name: first.name,
    place: first.place,
    totalMs,
    children: children.sort((a, b) => b.totalMs - a.totalMs),
  };
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = readField(value, name);
  if (!Array.isArray(list)) throw new Error(`a profile without ${name}`);
  return list;
}
