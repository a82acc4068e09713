import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createParser } from '@aosc/contract';
import { adminUser, type Security, type Stack } from '@aosc/local-stack';
import { callJson, createHttpClient, type HttpClient, trustAuthority } from '@aosc/testkit';
import { type Static, Type } from '@sinclair/typebox';

const certificates = join(__dirname, '../certificates');
export const certificateFile = join(certificates, 'localhost.pem');

/** What the nodes of a secured stack show and trust. */
export const security: Security = {
  certificate: readFileSync(certificateFile, 'utf8'),
  key: readFileSync(join(certificates, 'localhost-key.pem'), 'utf8'),
};

const RoleSchema = Type.Object({
  cluster_permissions: Type.Array(Type.String()),
  index_permissions: Type.Array(
    Type.Object(
      { index_patterns: Type.Array(Type.String()), allowed_actions: Type.Array(Type.String()) },
      { additionalProperties: true },
    ),
  ),
});
const PermissionSchema = RoleSchema.properties.index_permissions.items;
/** A role as the security plugin takes it. */
export type Role = Static<typeof RoleSchema>;
const parseRole = createParser('role of docs/how-to/opensearch-user.md', RoleSchema);
const parsePermission = createParser('permission of docs/reference/set-aside.md', PermissionSchema);

/** The role that the documentation gives to the service's user: the tests hold it to be enough, and not too much. */
export function readDocumentedRole(): Role {
  return parseRole(readBlock('how-to/opensearch-user.md', 'cluster_permissions'));
}

/** What the role needs beside that for documents that are set aside. */
export const readSetAsidePermission = () =>
  parsePermission(readBlock('reference/set-aside.md', 'allowed_actions'));

/** What it needs for the scratch index of a plan: the page has the actions in a sentence. */
export function readPlanPermission(): Role['index_permissions'][number] {
  const sentence = /^For the scratch index the user of the service needs, on .*?`\.\s/ms.exec(
    readPage('reference/plan.md'),
  );
  const [pattern = '', ...actions] = [...(sentence?.[0] ?? '').matchAll(/`([^`]+)`/g)].map(
    ([, name = '']) => name,
  );
  if (actions.length === 0) throw new Error('docs/reference/plan.md has no permissions');
  return { index_patterns: [pattern], allowed_actions: actions };
}

const readPage = (page: string): string => readFileSync(join(__dirname, '../../docs', page), 'utf8');

function readBlock(page: string, part: string): unknown {
  const blocks = [...readPage(page).matchAll(/^```json\n(.*?)^```/gms)].map(([, block = '']) => block);
  const text = blocks.find((block) => block.includes(part));
  if (text === undefined) throw new Error(`docs/${page} has no JSON with ${part}`);
  return JSON.parse(text);
}

/** The documented role with other names in place of its source and its target. */
export function documentedRoleFor(sources: readonly string[], targets: readonly string[]): Role {
  const role = readDocumentedRole();
  const names = new Map([
    ['orders-v1', sources],
    ['orders-v2', targets],
  ]);
  const index_permissions = role.index_permissions.map((permission) => ({
    ...permission,
    index_patterns: permission.index_patterns.flatMap((pattern) => names.get(pattern) ?? [pattern]),
  }));
  return { ...role, index_permissions };
}

/** Writes through the alias of a scenario, as an application would. */
const writerRole: Role = {
  cluster_permissions: ['cluster_composite_ops'],
  index_permissions: [
    {
      index_patterns: ['orders*'],
      allowed_actions: ['crud', 'indices:admin/mapping/put', 'indices:admin/shards/search_shards'],
    },
  ],
};

export const serviceUser = { name: 'aosc', password: 'Zk8-service-of-the-tests' } as const;
const writer = { name: 'orders-writer', password: 'Wv4-application-of-the-tests' } as const;

/** The users of a cluster, and how they log in. */
export interface ClusterAccess {
  /** for the oracle, which may do everything */
  readonly urls: readonly string[];
  /** for the applications that write */
  readonly writerUrls: readonly string[];
  /** for every process of the service */
  readonly env: Readonly<Record<string, string>>;
}

/** Makes the roles and users. The oracle trusts the certificate from now on. */
export async function secureCluster(stack: Stack): Promise<ClusterAccess> {
  trustAuthority(security.certificate);
  const passwordFile = join(dirname(stack.logFolder), 'service-password');
  writeFileSync(passwordFile, `${serviceUser.password}\n`, { mode: 0o600 });
  const urls = withUser(stack.openSearchUrls, adminUser);
  const http = createHttpClient(urls);
  try {
    await putRole(http, serviceUser.name, readDocumentedRole());
    await putRole(http, writer.name, writerRole);
    for (const { name, password } of [serviceUser, writer]) await putUser(http, name, password, [name]);
  } finally {
    http.close();
  }
  return {
    urls,
    writerUrls: withUser(stack.openSearchUrls, writer),
    env: {
      AOSC_OPENSEARCH_CA: certificateFile,
      AOSC_OPENSEARCH_USERNAME: serviceUser.name,
      AOSC_OPENSEARCH_PASSWORD_FILE: passwordFile,
    },
  };
}

/** Base URLs with credentials. */
export function withUser(
  urls: readonly string[],
  { name, password }: { readonly name: string; readonly password: string },
): readonly string[] {
  return urls.map((text) => Object.assign(new URL(text), { username: name, password }).href);
}

/** Makes a role, or replaces it. It counts from the answer on. @param role may have more than {@link Role} */
export async function putRole(http: HttpClient, name: string, role: object): Promise<void> {
  await callJson(http, (answer) => answer, 'PUT', `/_plugins/_security/api/roles/${name}`, role);
}

/** Makes a user, or replaces it. */
export async function putUser(
  http: HttpClient,
  name: string,
  password: string,
  roles: readonly string[],
): Promise<void> {
  const body = { password, opendistro_security_roles: roles };
  await callJson(http, (answer) => answer, 'PUT', `/_plugins/_security/api/internalusers/${name}`, body);
}
