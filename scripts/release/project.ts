import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { setChartVersion, setLockVersion, setManifestVersion, setSourceVersion } from './versions';

const parseManifest = createParser(
  'package.json',
  Type.Object({
    name: Type.String(),
    version: Type.String(),
    private: Type.Optional(Type.Boolean()),
  }),
);
const parseLock = createParser(
  'package-lock.json',
  Type.Object({
    packages: Type.Record(
      Type.String(),
      Type.Object({ link: Type.Optional(Type.Boolean()), resolved: Type.Optional(Type.String()) }),
    ),
  }),
);

interface Workspace {
  /** its folder in the project */
  readonly path: string;
  readonly name: string;
  /** npm would publish it */
  readonly isPublic: boolean;
}

export interface Project {
  readonly root: string;
  readonly version: string;
  readonly workspaces: readonly Workspace[];
  /** folder of the Helm chart; undefined: there is none */
  readonly chart: string | undefined;
}

/** A file as the release has it. */
export interface Edit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

const chartFolder = 'deploy/helm/aosc';

/** @throws ShapeError, or what the file system says: this is no such project */
export function readProject(root: string): Project {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const { packages } = parseLock(read('package-lock.json'));
  const workspaces = Object.values(packages)
    .flatMap(({ link, resolved }) => (link === true && resolved !== undefined ? [resolved] : []))
    .sort()
    .map((path) => {
      const manifest = parseManifest(read(join(path, 'package.json')));
      return { path, name: manifest.name, isPublic: manifest.private !== true };
    });
  return {
    root,
    version: parseManifest(read('package.json')).version,
    workspaces,
    chart: existsSync(join(root, chartFolder, 'Chart.yaml')) ? chartFolder : undefined,
  };
}

export function editFile(root: string, path: string, change: (text: string) => string): Edit {
  const before = readFileSync(join(root, path), 'utf8');
  return { path, before, after: change(before) };
}

/**
 * Every file that says another version.
 * @throws Error when one of them does not say it where it should
 */
export function planVersion({ root, workspaces, chart }: Project, version: string): readonly Edit[] {
  const edit = (path: string, change: (text: string) => string): Edit => editFile(root, path, change);
  const paths = workspaces.map(({ path }) => path);
  const manifests = ['package.json', ...paths.map((path) => join(path, 'package.json'))];
  const edits = [
    ...manifests.map((path) => edit(path, (text) => setManifestVersion(text, version))),
    edit('package-lock.json', (text) => setLockVersion(text, version, paths)),
    edit('packages/contract/src/version.ts', (text) => setSourceVersion(text, version)),
    ...(chart === undefined
      ? []
      : [edit(join(chart, 'Chart.yaml'), (text) => setChartVersion(text, version))]),
  ];
  return edits.filter(({ before, after }) => before !== after);
}
