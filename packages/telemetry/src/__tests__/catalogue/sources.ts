import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

export const root = join(__dirname, '../../../../..');

/** One file of the service, as it was written. */
export interface Source {
  /** from the root of the project */
  readonly path: string;
  readonly file: ts.SourceFile;
}

/** What only tests, demonstrations and tools run. */
const leftOut = ['packages/testkit', 'packages/local-stack', 'apps/demo', 'apps/stack', 'apps/dashboard'];

/** The sources of the service, by path. */
export function readSources(): readonly Source[] {
  const paths = ['packages', 'apps'].flatMap((room) => [...filesIn(join(root, room))]);
  return paths
    .map((path) => relative(root, path))
    .filter((path) => !leftOut.some((folder) => path.startsWith(`${folder}/`)))
    .sort()
    .map((path) => ({
      path,
      file: ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true),
    }));
}

function* filesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!['node_modules', 'dist', '__tests__'].includes(entry.name)) yield* filesIn(path);
    } else if (entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts')) yield path;
  }
}

/** The node and all below it. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

/** The nearest enclosing node of the wanted kind. */
export function findAround<T extends ts.Node>(
  node: ts.Node,
  isWanted: (candidate: ts.Node) => candidate is T,
): T | undefined {
  for (let at: ts.Node | undefined = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (isWanted(at)) return at;
  }
  return undefined;
}

/**
 * A page with the text between its marks replaced.
 * @throws when the page has lost them
 */
export function renewPage(page: string, made: string): string {
  const [begin, end] = ['<!-- made by `npm run generate:catalogue` -->', '<!-- end of what was made -->'];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('the page has no marks around its made part');
  return `${page.slice(0, from + begin.length)}\n\n${made}\n\n${page.slice(to)}`;
}
