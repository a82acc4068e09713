import type { Config } from 'jest';

/** Unit tests need no server and run in parallel; integration tests run two files at a time. */
const shared = {
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
  moduleNameMapper: {
    '^@aosc/(api|worker|scheduler|stack|demo)$': '<rootDir>/apps/$1/src',
    '^@aosc/(.*)$': '<rootDir>/packages/$1/src',
  },
  modulePathIgnorePatterns: ['/dist/'],
} satisfies Config;

/** On real servers: those of the jest worker, which its files share, or of the file's own. */
const served = {
  ...shared,
  testEnvironment: '<rootDir>/tests/support/lending-environment.ts',
} satisfies Config;

const integration = {
  ...served,
  setupFilesAfterEnv: ['<rootDir>/tests/support/late-files.ts'],
} satisfies Config;

/** The main promises on real servers, for each change: `npm test`. The others follow in `npm run test:all`. */
const main = [
  'tests/cancel',
  'tests/contract/contract',
  'tests/contract/coverage',
  'tests/crash',
  'tests/modes',
  'tests/phases/cutover-hazards',
  'tests/transforms',
].map((name) => `<rootDir>/${name}.test.ts`);

/** Folders of the long tests: their own tests, of plans, reports and what they share, start no server. */
const longTests = ['chaos', 'crash-points', 'exactness', 'page-bench', 'pictures', 'soak', 'support'];

/** What takes longest, for before a release and after a change of its subject: `npm run test:thorough`. */
const thorough = [
  'packages/queue/src/redis-groups.integration',
  'tests/alias-typo',
  'tests/application-clients',
  'tests/break-glass',
  'tests/clean-ends',
  'tests/dead-openings',
  'tests/doc-commands',
  'tests/failover',
  'tests/installation',
  'tests/liveness',
  'tests/overload',
  'tests/page',
  'tests/page-hostile',
  'tests/page-plan',
  'tests/page-roles',
  'tests/page-shift',
  'tests/page-truth',
  'tests/pacing/settings',
  'tests/pacing/windows',
  'tests/permits',
  'tests/postponed',
  'tests/redis-failover',
  'tests/rolling-restart',
  'tests/runaway-scripts',
  'tests/secured',
  'tests/secured-further-indices',
  'tests/secured-hostile',
  'tests/secured-records',
  'tests/shutdown',
  'tests/sizes',
  'tests/verify-scale',
  'tests/skew',
  'tests/slow-returns',
  'tests/swap-without-redis',
  'tests/upgrade',
  'tests/versions',
  'tests/races/left-nodes',
  'tests/races/left-while-linking',
  'tests/races/returning-manager',
  'tests/index-kinds/aliases',
  'tests/index-kinds/bounds',
  'tests/index-kinds/documents',
  'tests/index-kinds/made-indices',
  'tests/index-kinds/search-defaults',
  'tests/index-kinds/search-replicas',
  'tests/index-kinds/segment-replication',
  'tests/index-kinds/versions',
  'tests/phases/counters',
  'tests/phases/missing-ingest',
  'tests/phases/options',
  'tests/phases/replaced-indices',
  'tests/phases/target-settings',
  'tests/phases/write-hold-nodes',
  'tests/phases/write-hold-schedulers',
].map((name) => `<rootDir>/${name}.test.ts`);

const config: Config = {
  // Ends only what stands still: with a third of a processor, five seconds end a test that hashes a few passwords.
  testTimeout: 120_000,
  reporters: ['default', '<rootDir>/scripts/tell-progress.mjs'],
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{packages,apps,bench}/**/src/**/*.test.ts',
        '<rootDir>/{docker,deploy,scripts}/**/*.test.ts',
        `<rootDir>/tests/{${longTests.join(',')}}/**/*.test.ts`,
      ],
      testPathIgnorePatterns: ['/node_modules/', '\\.integration\\.test\\.ts$'],
    },
    { ...integration, displayName: 'main', testMatch: main },
    {
      ...integration,
      displayName: 'integration',
      testMatch: [
        '<rootDir>/tests/**/*.test.ts',
        '<rootDir>/{packages,apps}/**/src/**/*.integration.test.ts',
      ],
      testPathIgnorePatterns: ['/node_modules/', `/tests/(${longTests.join('|')})/`, ...main, ...thorough],
    },
    { ...served, displayName: 'thorough', testMatch: thorough },
  ],
};

export default config;
