import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { validate, ValidationSeverity } from 'dockerfile-utils';
import { parse } from 'yaml';
import { Type, type Static } from '@sinclair/typebox';
import { variables } from '@aosc/config';
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
  depends_on: Type.Optional(
    Type.Record(Type.String(), Type.Object({ condition: Type.String(), required: Type.Boolean() })),
  ),
  profiles: Type.Optional(Type.Array(Type.String())),
  configs: Type.Optional(Type.Array(Type.Object({ source: Type.String(), target: Type.String() }))),
});
type Service = Static<typeof ServiceSchema>;
const parseCompose = createParser(
  'docker/compose.yml',
  Type.Object({
    services: Type.Record(Type.String(), ServiceSchema),
    configs: Type.Record(Type.String(), Type.Object({ content: Type.String() })),
  }),
);

const parseScrapes = createParser(
  "Prometheus' configuration",
  Type.Object({
    scrape_configs: Type.Array(
      Type.Object({
        static_configs: Type.Optional(Type.Array(Type.Object({ targets: Type.Array(Type.String()) }))),
        dns_sd_configs: Type.Optional(
          Type.Array(Type.Object({ names: Type.Array(Type.String()), port: Type.Integer() })),
        ),
      }),
    ),
  }),
);

const composeFile: unknown = parse(read('docker/compose.yml'), { merge: true });
const { services, configs } = parseCompose(composeFile);
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

  test.each(ours)('%s starts when OpenSearch and Redis are healthy, if they are there', (name) => {
    expect(serviceNamed(name).depends_on).toEqual({
      opensearch: { condition: 'service_healthy', required: false },
      redis: { condition: 'service_healthy', required: false },
    });
  });

  test('the service runs without a profile, its servers and what watches it with one of their own', () => {
    const profiles = Object.entries(services).map(([name, service]) => [name, service.profiles ?? []]);
    expect(Object.fromEntries(profiles)).toEqual({
      api: [],
      scheduler: [],
      worker: [],
      opensearch: ['servers'],
      redis: ['servers'],
      prometheus: ['monitoring'],
      grafana: ['monitoring'],
    });
  });

  test('without the servers of the sample, the service takes the addresses of others', () => {
    for (const name of ours) {
      const { environment } = serviceNamed(name);
      expect(environment?.['AOSC_OPENSEARCH_URL']).toBe('${AOSC_OPENSEARCH_URL:-http://opensearch:9200}');
      expect(environment?.['AOSC_REDIS_URL']).toMatch(/^\$\{AOSC_REDIS_URL:-/);
    }
    // Compose asks for it before it looks at profiles.
    expect(read('docker/compose.yml')).not.toMatch(/[^$]\$\{\w+:?\?/);
  });

  test('Prometheus asks each process at the port that it has', () => {
    const { scrape_configs: jobs } = parseScrapes(parse(configs['prometheus']?.content ?? ''));
    const ports = ours.map((name) => {
      const { environment } = serviceNamed(name);
      return [name, name === 'api' ? variables.apiPort.fallback : environment?.['AOSC_METRICS_PORT']];
    });
    const asked = jobs.map((job) => {
      const [dns] = job.dns_sd_configs ?? [];
      const [target] = job.static_configs?.[0]?.targets ?? [];
      return dns === undefined ? target?.split(':') : [dns.names[0], String(dns.port)];
    });
    expect(asked).toEqual(ports);
    for (const name of ['scheduler', 'worker'])
      expect(serviceNamed(name).environment?.['AOSC_METRICS_HOST']).toBe('0.0.0.0');
  });

  test('files that are written down in the compose file are used, and are YAML', () => {
    const used = Object.values(services).flatMap((service) =>
      (service.configs ?? []).map(({ source }) => source),
    );
    expect(used.toSorted()).toEqual(Object.keys(configs).toSorted());
    for (const { content } of Object.values(configs)) expect(parse(content)).toEqual(expect.any(Object));
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
    expect(command?.at(-1)).toMatch(/^: "\$\$\{REDIS_PASSWORD:\?/);
    expect(environment?.['REDIS_PASSWORD']).toBe('${REDIS_PASSWORD:-}');
    expect(healthcheck.test.join(' ')).toContain('REDISCLI_AUTH="$$REDIS_PASSWORD"');
    for (const name of ours) {
      expect(serviceNamed(name).environment?.['AOSC_REDIS_URL']).toContain(
        'redis://:${REDIS_PASSWORD:-}@redis:6379',
      );
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

  test.each([...ours, 'redis', 'prometheus', 'grafana'])('%s can not write to its image', (name) => {
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
      ['NODE', 'OPENSEARCH', 'REDIS', 'PROMETHEUS', 'GRAFANA']
        .map((name) => `${name}_DIGEST=${digest}\n`)
        .join(''),
    );
    const asked = readFileSync(`${docker}.asked`, 'utf8').trim().split('\n');
    expect(asked).toEqual([
      expect.stringMatching(/^node:\d+-bookworm-slim$/),
      expect.stringMatching(/^opensearchproject\/opensearch:3\.\d+\.\d+$/),
      expect.stringMatching(/^redis:7-bookworm$/),
      expect.stringMatching(/^prom\/prometheus:v3\.\d+\.\d+$/),
      expect.stringMatching(/^grafana\/grafana:\d+\.\d+\.\d+$/),
    ]);
  });

  test('where they can not be found out, nothing is written, and it says why', () => {
    const { status, stderr } = pin(folder);
    expect([status, existsSync(join(folder, 'env'))]).toEqual([1, false]);
    expect(stderr).toContain('no digest of node:');
  });
});
