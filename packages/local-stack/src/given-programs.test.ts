import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findJdk } from './find-jdk';
import { findRedis } from './find-redis';
import { readHome } from './opensearch-home';

/** What the variables name: folders of files, as the user would have them. */

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'aosc-given-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function place(name: string, mode = 0o755, content = ''): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

function placeOpenSearch(version = '3.8.0'): NodeJS.ProcessEnv {
  for (const name of ['bin/opensearch', 'config/jvm.options', `lib/opensearch-${version}.jar`]) place(name);
  place(`lib/opensearch-core-${version}.jar`);
  return { AOSC_OPENSEARCH_HOME: folder };
}

function placeJdk(home: string, major: number): string {
  place(join(home, 'release'), 0o644, `JAVA_VERSION="${major}.0.1"\n`);
  return dirname(dirname(place(join(home, 'bin/java'))));
}

const atLeast21 = { min: 21, max: Number.POSITIVE_INFINITY };

test.each(['3.8.0', '2.9.0', '2.19.5'])('an unpacked OpenSearch %s is taken', (version) => {
  expect(readHome(placeOpenSearch(version), undefined)).toEqual({ home: { path: folder, version } });
});

test('without the variable there is none', () => {
  expect(readHome({}, undefined)).toEqual({});
  expect(readHome({ AOSC_OPENSEARCH_HOME: '' }, undefined)).toEqual({});
});

test.each(['2.8.0', '1.3.20', '4.0.0', '3.0.0-rc1'])('OpenSearch %s is refused', (version) => {
  expect(readHome(placeOpenSearch(version), undefined).problem).toMatch(
    `it is OpenSearch ${version}, and 2.9 or later is needed`,
  );
});

test('a folder without OpenSearch is refused, with what is missing in it', () => {
  const env = { AOSC_OPENSEARCH_HOME: join(folder, 'nothing') };
  expect(readHome(env, undefined).problem).toMatch(/nothing: no unpacked OpenSearch.*bin\/opensearch/);
});

test('another version than the one asked for is refused', () => {
  const env = { ...placeOpenSearch(), AOSC_OPENSEARCH_VERSION: '3.6.0' };
  expect(readHome(env, undefined).problem).toMatch('unset one of the two');
  expect(readHome({ ...env, AOSC_OPENSEARCH_VERSION: '3.8.0' }, undefined).home).toBeDefined();
});

test('a folder that the servers can not enter is refused', () => {
  const env = placeOpenSearch();
  chmodSync(folder, 0o700);
  expect(readHome(env, { uid: 4_000_000, gid: 4_000_000 }).problem).toMatch("can't enter it");
});

test('the Java that OpenSearch brings along is found, and goes before that of other variables', async () => {
  const bundled = placeJdk('jdk', 21);
  const other = placeJdk('other', 22);
  const env = { ...placeOpenSearch(), JAVA_HOME: other, OPENSEARCH_JAVA_HOME: other };
  expect((await findJdk(atLeast21, env, undefined)).found).toEqual({ home: bundled, major: 21 });
});

test('AOSC_JAVA_HOME goes before the Java that OpenSearch brings along', async () => {
  placeJdk('jdk', 21);
  const wished = placeJdk('wished', 22);
  const env = { ...placeOpenSearch(), AOSC_JAVA_HOME: wished };
  expect((await findJdk(atLeast21, env, undefined)).found).toEqual({ home: wished, major: 22 });
});

test('an AOSC_JAVA_HOME without Java is reported', async () => {
  const { problems } = await findJdk(atLeast21, { AOSC_JAVA_HOME: folder }, undefined);
  expect(problems).toEqual([`AOSC_JAVA_HOME is ${folder}: no bin/java is there`]);
});

test('AOSC_REDIS_SERVER is taken when it is a program', () => {
  const program = place('my-valkey');
  expect(findRedis({ AOSC_REDIS_SERVER: program, PATH: '' }, undefined)).toEqual({ program });
  const text = place('notes', 0o644);
  expect(findRedis({ AOSC_REDIS_SERVER: text }, undefined).problem).toMatch('no program');
  expect(findRedis({ AOSC_REDIS_SERVER: join(folder, 'no') }, undefined).problem).toMatch('no program');
});

test('a Redis on the path is found', () => {
  const program = place('redis-server');
  expect(findRedis({ PATH: folder }, undefined)).toEqual({ program });
});
