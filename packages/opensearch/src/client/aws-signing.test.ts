import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { request, type ClientOptions, type OpenSearchClient, type SendRequest } from './request';
import { findSignatureProblem, type SignedRequest } from './__tests__/verify-signature';
import { type AwsCredentialProvider, type AwsCredentials, createSigner } from './aws-signing';
import { createClient } from './create-client';

const certificate = (name: string) =>
  readFileSync(join(__dirname, '../../../../tests/certificates', name), 'utf8');
const cert = certificate('localhost.pem');
const key = certificate('localhost-key.pem');
const scope = { region: 'eu-central-1', service: 'es' } as const;
const first = {
  accessKeyId: 'AKIAFIRST',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG',
  sessionToken: 'IQoJ/b3+Jp==',
};
const second = {
  accessKeyId: 'AKIASECOND',
  secretAccessKey: 'bPxRfiCYEXAMPLEKEY',
  sessionToken: 'FwoG/Zz+XIv==',
};
const secrets = [first, second].flatMap(({ secretAccessKey, sessionToken }) => [
  secretAccessKey,
  sessionToken,
]);

interface Received extends SignedRequest {
  readonly problem: string | undefined;
}

const open: { server: Server; client: OpenSearchClient }[] = [];
const received: Received[] = [];

beforeEach(() => received.splice(0));
afterEach(async () => {
  for (const { server, client } of open.splice(0)) {
    server.closeAllConnections();
    server.close();
    await client.close();
  }
});

/** Verifies like the front of a cluster at AWS, and answers 403 with all that should have been signed. */
async function connect(options: Omit<ClientOptions, 'nodes'>, service = 'es'): Promise<OpenSearchClient> {
  const server = createServer({ cert, key }, (incoming, response) => {
    void text(incoming.setEncoding('latin1')).then((body) => {
      const { method = '', url = '' } = incoming;
      const headers = Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, value?.toString()]),
      );
      const arrived = { method, url, headers, body: Buffer.from(body, 'latin1') };
      const keyId = /Credential=(\w+)/.exec(headers['authorization'] ?? '')?.[1];
      const signingKey = keyId === second.accessKeyId ? second : first;
      const problem = findSignatureProblem(arrived, signingKey, { ...scope, service });
      received.push({ ...arrived, problem });
      response.statusCode = problem === undefined ? 200 : 403;
      response.end(JSON.stringify(problem === undefined ? {} : { message: problem }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createClient({ nodes: [`https://127.0.0.1:${port}`], ca: cert, ...options });
  open.push({ server, client });
  return client;
}

const provide = (credentials: AwsCredentials) => (): Promise<AwsCredentialProvider> =>
  Promise.resolve(() => Promise.resolve(credentials));
const call = (signal = new AbortController().signal) => ({ signal });
const root = { method: 'GET', path: '/' } as const;
const bulk = {
  method: 'POST',
  path: '/orders-v2/_bulk',
  query: { refresh: false },
  contentType: 'application/x-ndjson',
  // bytes that are no UTF-8, in a buffer that is part of a larger one
  body: Buffer.from('xx{"index":{"_id":"ü"}}\n{"a":"\u00ff\u0080"}\n', 'latin1').subarray(2),
} as const;

function showsNoSecret(error: unknown): void {
  const shown = [String(error), JSON.stringify(error), inspect(error, { depth: 9, showHidden: true })].join(
    '\n',
  );
  for (const secret of secrets) expect(shown).not.toContain(secret);
  expect(shown).not.toMatch(/AWS4-HMAC|Signature=/);
}

describe('the verification of these tests', () => {
  // AWS's documentation of Signature Version 4, and its test suite's get-vanilla
  const example = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
  const time = '20150830T123600Z';
  const authorization = (service: string, names: string, signature: string) =>
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/${service}/aws4_request, SignedHeaders=${names}, Signature=${signature}`;
  const listUsers: SignedRequest = {
    method: 'GET',
    url: '/?Action=ListUsers&Version=2010-05-08',
    headers: {
      host: 'iam.amazonaws.com',
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'x-amz-date': time,
      authorization: authorization(
        'iam',
        'content-type;host;x-amz-date',
        '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
      ),
    },
    body: Buffer.alloc(0),
  };
  const vanilla: SignedRequest = {
    method: 'GET',
    url: '/',
    headers: {
      host: 'example.amazonaws.com',
      'x-amz-date': time,
      authorization: authorization(
        'service',
        'host;x-amz-date',
        '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
      ),
    },
    body: Buffer.alloc(0),
  };

  test.each([
    ['iam', listUsers],
    ['service', vanilla],
  ])("agrees with AWS's known answer for %s", (service, signed) => {
    const inRegion = { region: 'us-east-1', service };
    expect(findSignatureProblem(signed, example, inRegion)).toBeUndefined();
    expect(findSignatureProblem({ ...signed, method: 'POST' }, example, inRegion)).toContain(
      'another one of',
    );
    expect(findSignatureProblem({ ...signed, url: '/?a=b' }, example, inRegion)).toContain('another one of');
    expect(findSignatureProblem({ ...signed, body: Buffer.from('x') }, example, inRegion)).toContain(
      'another one of',
    );
    expect(findSignatureProblem(signed, { ...example, secretAccessKey: 'x' }, inRegion)).toContain(
      'another one of',
    );
  });
});

test.each<[string, SendRequest]>([
  ['without path and body', root],
  [
    'with a query',
    { method: 'GET', path: '/a/_search', query: { preference: '_shards:1|_primary', q: 'a b+c*~' } },
  ],
  ['without a body', { method: 'POST', path: '/a/_refresh' }],
  ['with an empty body', { method: 'POST', path: '/a/_refresh', body: Buffer.alloc(0) }],
  ['with text', { method: 'PUT', path: '/a/_settings', body: '{"a":"ü"}' }],
  ['with bytes', bulk],
  ['with several indices in its path', { method: 'GET', path: '/_cluster/state/metadata,blocks/a-*' }],
  ['with an index beyond ASCII', { method: 'GET', path: `/${encodeURIComponent('größe-索引')}/_count` }],
  ...['100%', 'a/b', 'a b+c', "(it's)*!~", '%2F%25', '..a', 'ü', '?x=y#z', '@:;,=&$'].map<
    [string, SendRequest]
  >((id) => [
    `of the document ${id}`,
    { method: 'GET', path: `/a/_doc/${encodeURIComponent(id)}`, query: { routing: id } },
  ]),
])('a request %s is signed as it is sent', async (_what, what) => {
  const client = await connect({ aws: scope, openAwsProvider: provide(first) });
  await client.send(what, { ...call(), opaqueId: 'm/0/1' });
  const [arrived] = received;
  expect(arrived?.problem).toBeUndefined();
  expect(arrived?.url.split('?')[0]).toBe(what.path);
  expect(arrived?.body.equals(Buffer.from(what.body ?? ''))).toBe(true);
  expect(arrived?.headers).toMatchObject({
    'x-amz-security-token': first.sessionToken,
    'x-opaque-id': 'm/0/1',
  });
});

test('credentials without a session token, for a serverless collection', async () => {
  const { accessKeyId, secretAccessKey } = first;
  const client = await connect(
    { aws: { ...scope, service: 'aoss' }, openAwsProvider: provide({ accessKeyId, secretAccessKey }) },
    'aoss',
  );
  await client.send(bulk, call());
  expect(received).toMatchObject([{ problem: undefined }]);
  expect(received[0]?.headers).not.toHaveProperty('x-amz-security-token');
});

test('a request is signed each time, with the credentials of then', async () => {
  // expired as soon as they are there: the next request asks again
  const rotating = [first, second].map((credentials) => ({ ...credentials, expiration: new Date(0) }));
  const client = await connect({
    aws: scope,
    openAwsProvider: () => Promise.resolve(() => Promise.resolve(rotating.shift() ?? second)),
  });
  await client.send(bulk, call());
  await client.send(bulk, call());
  expect(received.map(({ problem }) => problem)).toEqual([undefined, undefined]);
  expect(received.map(({ headers }) => headers['x-amz-security-token'])).toEqual([
    first.sessionToken,
    second.sessionToken,
  ]);
});

test('credentials that do not expire soon are asked for once', async () => {
  let asked = 0;
  const client = await connect({
    aws: scope,
    openAwsProvider: () =>
      Promise.resolve(() => {
        asked += 1;
        return Promise.resolve({ ...first, expiration: new Date(Date.now() + 3_600_000) });
      }),
  });
  await client.send(root, call());
  await client.send(root, call());
  expect(asked).toBe(1);
});

test("the standard chain is AWS's own, and loaded by the first request that is signed", async () => {
  let loaded = 0;
  jest.doMock('@aws-sdk/credential-provider-node', () => {
    loaded += 1;
    return jest.requireActual<object>('@aws-sdk/credential-provider-node');
  });
  const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE'] as const;
  const before = names.map((name) => process.env[name]);
  const give = (values: readonly (string | undefined)[]) =>
    names.forEach((name, i) => {
      if (values[i] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = values[i];
    });
  try {
    give([first.accessKeyId, first.secretAccessKey, first.sessionToken]);
    await (await connect({})).send(root, call());
    const client = await connect({ aws: scope });
    expect(loaded).toBe(0);
    await client.send(root, call());
    expect(loaded).toBe(1);
    expect(received.at(-1)).toMatchObject({ problem: undefined });
  } finally {
    give(before);
    jest.dontMock('@aws-sdk/credential-provider-node');
  }
});

test('without credentials nothing is sent, and the error says where they are looked for', async () => {
  const failed = Object.assign(new Error('Could not load credentials from any providers.'), {
    name: 'CredentialsProviderError',
  });
  const client = await connect({
    aws: scope,
    openAwsProvider: () => Promise.resolve(() => Promise.reject(failed)),
  });
  await expect(client.send(root, call())).rejects.toMatchObject({
    kind: 'transient',
    message:
      'GET /: AwsCredentialsError: no AWS credentials: Could not load credentials from any providers. The standard ' +
      "chain looks at the environment, AWS's shared files, a web identity token, and the role of the container or the machine",
  });
  expect(received).toEqual([]);
});

test.each([
  ['a command', 'CredentialsProviderError', `Command failed: vault --token ${first.secretAccessKey}\nstderr`],
  ['a file that is no JSON', 'SyntaxError', `Unexpected token, "${first.secretAccessKey}" is not valid JSON`],
])('a failure that quotes %s is reported without its text', async (_what, name, message) => {
  const failed = Object.assign(new Error(message), { name });
  const client = await connect({ aws: scope, openAwsProvider: () => Promise.reject(failed) });
  const error: unknown = await client.send(root, call()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    kind: 'transient',
    message: expect.stringContaining('no AWS credentials') as string,
  });
  showsNoSecret(error);
});

test('a provider that hangs is left after a while, and a new one is asked', async () => {
  const openings: number[] = [];
  const { Transport } = createSigner(
    scope,
    () => {
      openings.push(1);
      return Promise.resolve(() => new Promise<never>(() => undefined));
    },
    10,
  );
  const transport = Reflect.construct(Transport, [{ requestTimeout: 1000 }]) as InstanceType<
    typeof Transport
  >;
  const late = 'no AWS credentials within 10 ms';
  await expect(transport.request(root)).rejects.toThrow(late);
  await expect(transport.request(root)).rejects.toThrow(late);
  expect(openings).toHaveLength(2);
});

test('a signal ends the wait for credentials, and nothing is sent when they come', async () => {
  const control = new AbortController();
  let give: ((credentials: AwsCredentials) => void) | undefined;
  const client = await connect({
    aws: scope,
    openAwsProvider: () =>
      Promise.resolve(() => {
        if (give !== undefined) return Promise.resolve(first);
        queueMicrotask(() => control.abort());
        return new Promise((resolve) => (give = resolve));
      }),
  });
  await expect(client.send(bulk, call(control.signal))).rejects.toMatchObject({ kind: 'aborted' });
  give?.(first);
  await client.send(root, call());
  expect(received.map(({ url }) => url)).toEqual(['/']);
});

test("a wrong signature is forbidden, and the front's answer to it does not carry the session token on", async () => {
  const client = await connect({
    aws: scope,
    openAwsProvider: provide({ ...first, secretAccessKey: 'wrong' }),
  });
  const error: unknown = await request(client, bulk, call()).catch((thrown: unknown) => thrown);
  expect(received[0]?.problem).toContain(first.sessionToken);
  expect(error).toMatchObject({
    kind: 'forbidden',
    message: expect.stringContaining('answered 403') as string,
  });
  showsNoSecret(error);
});

test('a broken connection shows nothing of the signature', async () => {
  const client = await connect({
    aws: scope,
    openAwsProvider: provide(first),
    ca: certificate('localhost-key.pem'),
  });
  const error: unknown = await client.send(bulk, call()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: 'transient' });
  showsNoSecret(error);
});

test('a password and a signature contradict each other', () => {
  const aws = scope;
  expect(() => createClient({ nodes: ['https://u:s3cret@h'], aws })).toThrow('not both');
  expect(() =>
    createClient({ nodes: ['https://h'], credentials: { username: 'u', password: 'p' }, aws }),
  ).toThrow('not both');
});
