import type { Config } from 'jest';

/** Unit tests need no server and run in parallel; integration tests start servers of their own and run two files at a time. */
const shared = {
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
  moduleNameMapper: {
    '^@aosc/(api|worker|scheduler|stack|demo)$': '<rootDir>/apps/$1/src',
    '^@aosc/(.*)$': '<rootDir>/packages/$1/src',
  },
  modulePathIgnorePatterns: ['/dist/'],
} satisfies Config;

const config: Config = {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{packages,apps,bench}/**/src/**/*.test.ts', '<rootDir>/docker/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.integration\\.test\\.ts$'],
    },
    {
      ...shared,
      displayName: 'integration',
      testMatch: [
        '<rootDir>/tests/**/*.test.ts',
        '<rootDir>/{packages,apps}/**/src/**/*.integration.test.ts',
      ],
    },
  ],
};

export default config;
