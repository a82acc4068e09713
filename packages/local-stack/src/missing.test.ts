import { describeMissing, type Findings, findMissing } from './missing';

const jdk = { home: '/opt/java', major: 21 };
const home = { path: '/opt/opensearch', version: '3.8.0' };
const java = { min: 21, max: Number.POSITIVE_INFINITY };
const found = { found: jdk, seen: [jdk], problems: [] };
const none = { found: undefined, seen: [], problems: [] };

const downloaded: NonNullable<Findings['openSearch']> = {
  java,
  jdk: found,
  home: {},
  toDownload: [],
  maven: undefined,
  cacheProblem: undefined,
};
const bare: Findings = {
  openSearch: { ...downloaded, jdk: none, toDownload: ['opensearch-3.8.0.zip'] },
  redis: {},
};
const whats = (findings: Findings) => findMissing(findings).map(({ what }) => what);

test('nothing is missing where all is there, or where no server is started', () => {
  expect(findMissing({ openSearch: downloaded, redis: { program: '/usr/bin/redis-server' } })).toEqual([]);
  expect(findMissing({})).toEqual([]);
});

test('a bare machine learns of everything at once, with each way out', () => {
  const text = describeMissing(findMissing(bare));
  expect(text).toBe(
    [
      "OpenSearch and Redis can't be started here yet. What is missing, and what you can do about it:",
      '',
      '  Java 21 or later',
      '    - install it (Debian: openjdk-21-jre-headless or openjdk-25-jre-headless)',
      '    - or set AOSC_JAVA_HOME to a JDK',
      '    - or set AOSC_OPENSEARCH_HOME to the folder of an unpacked OpenSearch (the full one for Linux brings its Java)',
      '',
      '  Maven, which downloads opensearch-3.8.0.zip',
      '    - install it (Debian: maven)',
      '    - or set AOSC_OPENSEARCH_HOME to the folder of an unpacked OpenSearch (the full one for Linux brings its Java)',
      '',
      '  Redis',
      '    - install it, or Valkey (Debian: redis-server or valkey-server)',
      '    - or set AOSC_REDIS_SERVER to the path of a redis-server or a valkey-server',
      '',
      'Or name a server that runs already: AOSC_OPENSEARCH_URL (of the demo: --opensearch URL), AOSC_REDIS_URL (of the demo: --redis URL).',
    ].join('\n'),
  );
});

test('every thing that packages bring names them, in the order in which they are tried', () => {
  expect(findMissing(bare).map(({ packages }) => packages)).toEqual([
    ['openjdk-21-jre-headless', 'openjdk-25-jre-headless'],
    ['maven'],
    ['redis-server', 'valkey-server'],
  ]);
});

test('Maven is needed only for a download', () => {
  expect(findMissing({ openSearch: downloaded })).toEqual([]);
  expect(whats({ openSearch: { ...downloaded, toDownload: ['a.zip', 'b.zip'] } })).toEqual([
    'Maven, which downloads a.zip, b.zip',
  ]);
  const cacheProblem = 'a folder for downloads (/root/.cache: EACCES)';
  expect(
    whats({ openSearch: { ...downloaded, maven: '/mvn', toDownload: ['a.zip'], cacheProblem } }),
  ).toEqual([cacheProblem]);
  expect(findMissing({ openSearch: { ...downloaded, cacheProblem } })).toEqual([]);
});

test('a Java of another version is named, and so is a variable that leads nowhere', () => {
  const old = { home: '/usr/lib/jvm/17', major: 17 };
  const search = { found: undefined, seen: [old], problems: ['AOSC_JAVA_HOME is /x: no bin/java is there'] };
  const openSearch = { ...downloaded, jdk: search };
  expect(whats({ openSearch })).toEqual([
    'Java 21 or later (AOSC_JAVA_HOME is /x: no bin/java is there; found: 17 in /usr/lib/jvm/17)',
  ]);
  expect(whats({ openSearch: { ...openSearch, java: { min: 17, max: 21 } } })[0]).toMatch(/^Java 17 to 21 /);
});

test('with an OpenSearch of the user, only its Java can be missing', () => {
  expect(findMissing({ openSearch: { ...downloaded, home: { home } } })).toEqual([]);
  const [missing] = findMissing({ openSearch: { ...downloaded, jdk: none, home: { home } } });
  expect(missing?.ways).toEqual([expect.stringContaining('install it'), 'set AOSC_JAVA_HOME to a JDK']);
});

test('what a variable names and can not be used is no case for a package', () => {
  const findings = {
    openSearch: { ...downloaded, home: { problem: 'AOSC_OPENSEARCH_HOME is /x: no' } },
    redis: { problem: 'AOSC_REDIS_SERVER is /y: no program' },
  };
  expect(whats(findings)).toEqual(['AOSC_OPENSEARCH_HOME is /x: no', 'AOSC_REDIS_SERVER is /y: no program']);
  expect(findMissing(findings).flatMap(({ packages }) => packages)).toEqual([]);
});
