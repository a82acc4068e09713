import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceVersion } from '@aosc/contract';
import { readArguments } from './arguments';
import { planParts } from './artifacts';
import { releaseChangelog } from './changelog';
import { planVersion, type Project, readProject } from './project';
import {
  compareVersions,
  isVersion,
  setChartVersion,
  setLockVersion,
  setManifestVersion,
  setSourceVersion,
} from './versions';

const root = join(__dirname, '../..');

describe('the arguments', () => {
  test('a version and flags, in any order', () => {
    expect(readArguments(['--dry-run', '1.2.3'])).toEqual({
      version: '1.2.3',
      isDryRun: true,
      isChecked: false,
    });
    expect(readArguments(['1.2.3-rc.1', '--checked'])).toMatchObject({
      version: '1.2.3-rc.1',
      isChecked: true,
    });
  });

  test('--help asks for the usage', () => expect(readArguments(['--help'])).toBeUndefined());

  test.each([
    [[], 'Give one version'],
    [['1.2.3', '1.2.4'], 'Give one version'],
    [['v1.2.3'], 'v1.2.3 is no version'],
    [['minor'], 'minor is no version'],
    [['1.2.3', '--push'], "Unknown option '--push'"],
  ])('%j are refused', (args, message) => expect(() => readArguments(args)).toThrow(message));
});

describe('versions', () => {
  test.each(['0.0.1', '1.20.300', '1.0.0-rc.1', '1.0.0-alpha'])('%s is one', (text) => {
    expect(isVersion(text)).toBe(true);
  });

  test.each(['1', '1.2', '1.2.3.4', '01.2.3', '1.2.3-', '1.2.3-a..b', '1.2.3 ', '1.2.3+build', '-1.2.3'])(
    '%j is none',
    (text) => expect(isVersion(text)).toBe(false),
  );

  test('are ordered by numbers, and what comes before a version comes before it', () => {
    const ordered = [
      '0.9.0',
      '0.10.0',
      '1.0.0-alpha',
      '1.0.0-rc',
      '1.0.0-rc.2',
      '1.0.0-rc.10',
      '1.0.0',
      '1.0.1',
    ];
    for (const [at, one] of ordered.entries()) {
      for (const [place, other] of ordered.entries()) {
        expect(Math.sign(compareVersions(one, other))).toBe(Math.sign(at - place));
      }
    }
  });
});

describe('a file that says the version', () => {
  test('package.json: its own alone', () => {
    const text = '{\n  "name": "a",\n  "version": "0.1.0",\n  "engines": {\n    "version": "0.1.0"\n  }\n}\n';
    expect(setManifestVersion(text, '0.2.0')).toBe(text.replace('0.1.0', '0.2.0'));
  });

  test('package-lock.json: the project and its workspaces alone', () => {
    const lock = (own: string) => ({
      name: 'aosc',
      version: own,
      packages: { '': { version: own }, 'apps/a': { version: own }, 'node_modules/b': { version: '0.1.0' } },
    });
    const changed = setLockVersion(JSON.stringify(lock('0.1.0')), '0.2.0', ['apps/a']);
    expect(JSON.parse(changed)).toEqual(lock('0.2.0'));
    expect(() => setLockVersion(changed, '0.3.0', ['apps/c'])).toThrow('does not know apps/c');
  });

  test('Chart.yaml: the chart, and what it starts', () => {
    const chart = 'apiVersion: v2\nversion: 0.1.0\n# a comment\nappVersion: "0.1.0"\nkubeVersion: 1.25\n';
    expect(setChartVersion(chart, '0.2.0')).toBe(
      'apiVersion: v2\nversion: 0.2.0\n# a comment\nappVersion: 0.2.0\nkubeVersion: 1.25\n',
    );
  });

  test('the source', () => {
    expect(setSourceVersion("export const serviceVersion = '0.1.0';", '1.0.0-rc.1')).toContain(
      "= '1.0.0-rc.1';",
    );
  });

  test('one that does not say it is an error, and not left as it is', () => {
    for (const set of [setManifestVersion, setChartVersion, setSourceVersion]) {
      expect(() => set('nothing', '1.0.0')).toThrow('says no version');
    }
  });
});

describe('the changelog', () => {
  const head = '# Changelog\n\nAbout it.\n\n';
  const news = '### Added\n\n- This.\n\n### Fixed\n\n- That.';

  test('what is under Unreleased becomes the release, and Unreleased is empty', () => {
    const older = '## [0.1.0] - 2026-01-01\n\n- First.\n';
    const { text, notes } = releaseChangelog(
      `${head}## [Unreleased]\n\n${news}\n\n${older}`,
      '0.2.0',
      '2026-02-01',
    );
    expect(notes).toBe(news);
    expect(text).toBe(`${head}## [Unreleased]\n\n## [0.2.0] - 2026-02-01\n\n${news}\n\n${older}`);
  });

  test('of the first release', () => {
    const { text } = releaseChangelog(`${head}## [Unreleased]\n\n${news}\n`, '0.1.0', '2026-02-01');
    expect(text).toBe(`${head}## [Unreleased]\n\n## [0.1.0] - 2026-02-01\n\n${news}\n`);
  });

  test.each([
    ['# Changelog\n', 'has no heading'],
    ['## [Unreleased]\n\n### Added\n', 'lists nothing under Unreleased'],
    ['## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- First.\n', 'lists nothing under Unreleased'],
    ['## [Unreleased]\n\n- New.\n\n## [0.2.0] - 2026-01-01\n', 'has a section for 0.2.0 already'],
  ])('%j can not be released', (text, message) => {
    expect(() => releaseChangelog(text, '0.2.0', '2026-02-01')).toThrow(message);
  });
});

describe('this project', () => {
  const project = readProject(root);

  test('says one version everywhere', () => {
    expect(planVersion(project, project.version).map(({ path }) => path)).toEqual([]);
    expect(serviceVersion).toBe(project.version);
  });

  test('every workspace gets the version of a release', () => {
    const changed = planVersion(project, '99.0.0').map(({ path }) => path);
    expect(project.workspaces.length).toBeGreaterThan(15);
    for (const { path } of project.workspaces) expect(changed).toContain(join(path, 'package.json'));
    expect(changed).toEqual(
      expect.arrayContaining(['package.json', 'package-lock.json', 'packages/contract/src/version.ts']),
    );
  });

  test('the lockfile keeps its form', () => {
    const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
    const paths = project.workspaces.map(({ path }) => path);
    expect(setLockVersion(text, project.version, paths)).toBe(text);
  });

  test('gives out the client', () => {
    expect(project.workspaces.filter(({ isPublic }) => isPublic).map(({ name }) => name)).toEqual([
      '@aosc/client',
    ]);
  });
});

describe('the parts of a release', () => {
  const project: Project = {
    root,
    version: '0.1.0',
    workspaces: [
      { path: 'apps/cli', name: '@aosc/cli', isPublic: false },
      { path: 'packages/client', name: '@aosc/client', isPublic: true },
    ],
    chart: 'deploy/helm/aosc',
  };
  const plan = (usable: readonly string[], parts: Partial<Project> = {}) =>
    planParts({ ...project, ...parts }, '1.0.0', 'out', (command) => usable.includes(command)).map((part) =>
      'commands' in part
        ? part.commands.map((command) => command.join(' '))
        : `${part.what}: ${part.leftOut}`,
    );

  test('with every tool', () => {
    expect(plan(['docker', 'podman', 'helm'])).toEqual([
      ['npm pack --workspace packages/client --pack-destination out'],
      ['node scripts/pack-command-line.mjs out'],
      [
        'docker build --file docker/Dockerfile --tag aosc:1.0.0 .',
        'docker save --output out/aosc-image-1.0.0.tar aosc:1.0.0',
      ],
      ['helm package deploy/helm/aosc --destination out'],
    ]);
  });

  test('podman does as well', () => {
    expect(plan(['podman'])[2]).toEqual(expect.arrayContaining([expect.stringMatching(/^podman build /)]));
  });

  test('without tools each is named with its reason', () => {
    expect(plan([]).slice(2)).toEqual([
      'image aosc:1.0.0: neither docker nor podman answers here',
      'Helm chart: helm is not installed here',
    ]);
    expect(plan(['helm'], { chart: undefined })[3]).toBe('Helm chart: the project has none');
  });
});
