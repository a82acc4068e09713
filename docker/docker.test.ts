import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { validate, ValidationSeverity } from 'dockerfile-utils';
import { parse } from 'yaml';
import { Type, type Static } from '@sinclair/typebox';
import { createParser } from '@aosc/contract';
import { findProgram, runProgram } from '../deploy/__tests__/programs';

const root = join(__dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const ServiceSchema = Type.Object({
  image: Type.String(),
  command: Type.Optional(Type.Array(Type.String())),
  ports: Type.Optional(Type.Array(Type.String())),
  environment: Type.Optional(Type.Record(Type.String(), Type.String())),
  healthcheck: Type.Object({ test: Type.Array(Type.String()) }),
  read_only: Type.Optional(Type.Boolean()),
  mem_limit: Type.Optional(Type.String()),
  pids_limit: Type.Optional(Type.Integer()),
  security_opt: Type.Optional(Type.Array(Type.String())),
  depends_on: Type.Optional(Type.Record(Type.String(), Type.Object({ condition: Type.String() }))),
});
type Service = Static<typeof ServiceSchema>;
const parseCompose = createParser(
  'docker/compose.yml',
  Type.Object({ services: Type.Record(Type.String(), ServiceSchema) }),
);

const composeFile: unknown = parse(read('docker/compose.yml'), { merge: true });
const { services } = parseCompose(composeFile);
const serviceNamed = (name: string): Service => {
  const service = services[name];
  if (service === undefined) throw new Error(`no service ${name}`);
  return service;
};
const ours = ['api', 'scheduler', 'worker'];

describe('Dockerfile', () => {
  const text = read('docker/Dockerfile');
  const instructions = DockerfileParser.parse(text).getInstructions();
  const last = instructions.map((instruction) => instruction.getKeyword()).lastIndexOf('FROM');
  const image = instructions.slice(last);
  const argumentsOf = (keyword: string): readonly string[] =>
    image
      .filter((instruction) => instruction.getKeyword() === keyword)
      .map((found) => found.getArgumentsContent() ?? '');

  test('a linter finds nothing', () => {
    expect(validate(text, { deprecatedMaintainer: ValidationSeverity.ERROR })).toEqual([]);
  });

  const hadolint = findProgram('hadolint');
  (hadolint === undefined ? test.skip : test)(
    `hadolint finds nothing${hadolint === undefined ? ' (not run: there is none on PATH)' : ''}`,
    () => {
      const { status, stdout } = runProgram(hadolint ?? '', [join(root, 'docker/Dockerfile')]);
      expect([status, stdout]).toEqual([0, '']);
    },
  );

  test('the linter would find an unknown instruction', () => {
    expect(validate(`${text}\nCOPPY a b\n`)).not.toEqual([]);
  });

  test('the process is nobody of importance, and gets the signals itself', () => {
    expect(argumentsOf('USER')).toEqual(['1000:1000']);
    expect(argumentsOf('ENTRYPOINT')).toEqual(['["node", "docker/entry.mjs"]']);
  });

  test('RUN lines are relative: check.mjs carries them out in folders of this machine', () => {
    const commands = instructions.filter((instruction) => instruction.getKeyword() === 'RUN');
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) expect(command.getArgumentsContent()).not.toMatch(/(^|\s)["']?\//);
  });

  test('the base image is pinned by its major version, to one that the project supports', () => {
    const major = Number(/^ARG NODE_MAJOR=(\d+)$/m.exec(text)?.[1]);
    expect(major).toBeGreaterThanOrEqual(Number(read('.nvmrc')));
    expect(text.match(/^FROM (\S+)/gm)).toEqual(
      Array(4).fill('FROM node:${NODE_MAJOR}-bookworm-slim${NODE_DIGEST}'),
    );
  });
});

describe('compose file', () => {
  test('the Compose Specification takes it', () => {
    const schema: unknown = JSON.parse(read('docker/schema/compose-spec.json'));
    if (typeof schema !== 'object' || schema === null) throw new TypeError('the schema is no object');
    // draft-07 as the parser knows it: the schema writes its name with https
    const check = createParser(
      'compose file',
      Type.Unsafe({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' }),
    );
    expect(() => check(composeFile)).not.toThrow();
    expect(() => check({ services: { api: { imagee: 'aosc' } } })).toThrow(/imagee|additional properties/);
  });

  test.each(ours)('%s runs from the one image as the process of its name', (name) => {
    expect(serviceNamed(name)).toMatchObject({ image: 'aosc', command: [name] });
  });

  test.each(ours)('%s starts when OpenSearch and Redis are healthy', (name) => {
    expect(serviceNamed(name).depends_on).toEqual({
      opensearch: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
    });
  });

  test('published ports are bound to loopback', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.length).toBeGreaterThan(0);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  test('a worker can be scaled: it publishes no port and has no name of its own', () => {
    expect(serviceNamed('worker').ports).toBeUndefined();
    expect(serviceNamed('worker')).not.toHaveProperty('container_name');
  });

  test('Redis evicts nothing, writes an append-only file, and asks for a password that no argument shows', () => {
    const { command, environment, healthcheck } = serviceNamed('redis');
    const line = command?.join(' ') ?? '';
    expect(line).toContain('exec redis-server - --maxmemory-policy noeviction --appendonly yes --dir /data');
    expect(line).toContain('<<END\nrequirepass $$REDIS_PASSWORD\nEND');
    expect(environment?.['REDIS_PASSWORD']).toMatch(/^\$\{REDIS_PASSWORD:\?/);
    expect(healthcheck.test.join(' ')).toContain('REDISCLI_AUTH="$$REDIS_PASSWORD"');
    for (const name of ours) {
      expect(serviceNamed(name).environment?.['AOSC_REDIS_URL']).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD:\?/);
    }
  });

  test('every container has bounds on memory and processes, and gains no privileges', () => {
    for (const service of Object.values(services)) {
      expect(service).toMatchObject({
        mem_limit: expect.stringMatching(/^\d+[mg]$/) as unknown,
        pids_limit: expect.any(Number) as unknown,
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  test.each([...ours, 'redis'])('%s can not write to its image', (name) => {
    expect(serviceNamed(name).read_only).toBe(true);
  });

  test('the API answers to the names it is asked by alone', () => {
    expect(serviceNamed('api').environment?.['AOSC_API_ALLOWED_HOSTS']).toBe('localhost,127.0.0.1,api');
  });

  test.each(ours)('every variable of %s is known to the configuration', (name) => {
    const documented = read('docs/configuration.md');
    for (const variable of Object.keys(serviceNamed(name).environment ?? {})) {
      expect(documented).toContain(`\`${variable}\``);
    }
  });
});

describe('digests of images', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'aosc-pin-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const pin = (path: string) =>
    spawnSync(process.execPath, [join(__dirname, 'pin.mjs'), join(folder, 'env')], {
      env: { PATH: path },
      encoding: 'utf8',
    });

  test('what docker tells of each image is written where compose reads it', () => {
    const docker = join(folder, 'docker');
    writeFileSync(docker, '#!/bin/sh\necho "$4" >> "$0.asked"\necho sha256:' + 'ab'.repeat(32) + '\n');
    chmodSync(docker, 0o755);
    expect(pin(`${folder}:/bin:/usr/bin`)).toMatchObject({ status: 0, stderr: '' });
    const digest = `@sha256:${'ab'.repeat(32)}`;
    expect(readFileSync(join(folder, 'env'), 'utf8')).toBe(
      `NODE_DIGEST=${digest}\nOPENSEARCH_DIGEST=${digest}\nREDIS_DIGEST=${digest}\n`,
    );
    const asked = readFileSync(`${docker}.asked`, 'utf8').trim().split('\n');
    expect(asked).toEqual([
      expect.stringMatching(/^node:\d+-bookworm-slim$/),
      expect.stringMatching(/^opensearchproject\/opensearch:3\.\d+\.\d+$/),
      expect.stringMatching(/^redis:7-bookworm$/),
    ]);
  });

  test('where they can not be found out, nothing is written, and it says why', () => {
    const { status, stderr } = pin(folder);
    expect([status, existsSync(join(folder, 'env'))]).toEqual([1, false]);
    expect(stderr).toContain('no digest of node:');
  });
});
