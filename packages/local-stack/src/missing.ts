import { type HomeFinding } from './opensearch-home';
import { type JdkSearch } from './find-jdk';
import { type RedisFinding } from './find-redis';
import { type JavaRange } from './versions';

/** What was found of what local servers need; a part is undefined when that server is not wanted here. */
export interface Findings {
  readonly openSearch?: {
    readonly java: JavaRange;
    readonly jdk: JdkSearch;
    readonly home: HomeFinding;
    /** file names; none when the distribution is there */
    readonly toDownload: readonly string[];
    readonly maven: string | undefined;
    /** why nothing can be kept where downloads are kept, as a sentence */
    readonly cacheProblem: string | undefined;
  };
  readonly redis?: RedisFinding;
}

/** One thing that has to be there before a server can start. */
interface Missing {
  readonly server: 'OpenSearch' | 'Redis';
  readonly what: string;
  /** what the user can do, each as a half-sentence */
  readonly ways: readonly string[];
  /** of Debian: the first one that there is brings what is missing; none when no package would help */
  readonly packages: readonly string[];
}

const givenHome =
  'set AOSC_OPENSEARCH_HOME to the folder of an unpacked OpenSearch (the full one for Linux brings its Java)';

/** Everything that is missing, so that a user learns all of it at once. */
export function findMissing({ openSearch, redis }: Findings): readonly Missing[] {
  return [
    ...(openSearch ? findMissingOfOpenSearch(openSearch) : []),
    ...(redis ? findMissingRedis(redis) : []),
  ];
}

function findMissingOfOpenSearch(findings: NonNullable<Findings['openSearch']>): readonly Missing[] {
  const { home, toDownload, maven, cacheProblem } = findings;
  const server = 'OpenSearch';
  const missing: Missing[] = [];
  if (findings.jdk.found === undefined) missing.push(missingJava(findings));
  if (home.problem !== undefined) {
    missing.push({
      server,
      what: home.problem,
      ways: ['name another folder, or none: OpenSearch is then downloaded'],
      packages: [],
    });
    return missing;
  }
  if (toDownload.length === 0) return missing;
  if (maven === undefined) {
    missing.push({
      server,
      what: `Maven, which downloads ${toDownload.join(', ')}`,
      ways: ['install it (Debian: maven)', givenHome],
      packages: ['maven'],
    });
  }
  if (cacheProblem !== undefined) {
    missing.push({
      server,
      what: cacheProblem,
      ways: ['set AOSC_CACHE_DIR to a folder that you may write to', givenHome],
      packages: [],
    });
  }
  return missing;
}

function missingJava({ java, jdk, home }: NonNullable<Findings['openSearch']>): Missing {
  const isOld = Number.isFinite(java.max);
  const wanted = isOld ? `Java ${java.min} to ${java.max}` : `Java ${java.min} or later`;
  const seen = jdk.seen.map(({ home: folder, major }) => `${major} in ${folder}`);
  const known = [...jdk.problems, ...(seen.length > 0 ? [`found: ${seen.join(', ')}`] : [])];
  const packages = (isOld ? ['17', '21'] : ['21', '25']).map((major) => `openjdk-${major}-jre-headless`);
  return {
    server: 'OpenSearch',
    what: `${wanted}${known.length > 0 ? ` (${known.join('; ')})` : ''}`,
    ways: [
      `install it (Debian: ${packages.join(' or ')})`,
      'set AOSC_JAVA_HOME to a JDK',
      ...(home.home === undefined ? [givenHome] : []),
    ],
    packages,
  };
}

function findMissingRedis({ program, problem }: RedisFinding): readonly Missing[] {
  if (program !== undefined) return [];
  const server = 'Redis';
  if (problem !== undefined) {
    return [{ server, what: problem, ways: ['name another program, or none'], packages: [] }];
  }
  return [
    {
      server,
      what: 'Redis',
      ways: [
        'install it, or Valkey (Debian: redis-server or valkey-server)',
        'set AOSC_REDIS_SERVER to the path of a redis-server or a valkey-server',
      ],
      packages: ['redis-server', 'valkey-server'],
    },
  ];
}

const elsewhere = {
  OpenSearch: 'AOSC_OPENSEARCH_URL (of the demo: --opensearch URL)',
  Redis: 'AOSC_REDIS_URL (of the demo: --redis URL)',
};

/** All of it as one message with every way out. */
export function describeMissing(missing: readonly Missing[]): string {
  const servers = [...new Set(missing.map(({ server }) => server))];
  return [
    `${servers.join(' and ')} can't be started here yet. What is missing, and what you can do about it:`,
    ...missing.flatMap(({ what, ways }) => [
      '',
      `  ${what}`,
      ...ways.map((way, n) => `    ${n === 0 ? '-' : '- or'} ${way}`),
    ]),
    '',
    `Or name a server that runs already: ${servers.map((server) => elsewhere[server]).join(', ')}.`,
  ].join('\n');
}
