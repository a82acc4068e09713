import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Settings } from './node-config';

/** What a secured cluster shows and trusts: one certificate for all nodes, which is its own authority. */
export interface Security {
  /** PEM, for `localhost` and 127.0.0.1 */
  readonly certificate: string;
  /** PEM (PKCS#8) */
  readonly key: string;
}

/** May do everything, and make roles and users with the plugin's own REST API. */
export const adminUser = { name: 'admin', password: 'admin' } as const;

/** bcrypt of {@link adminUser}'s password; Node has no bcrypt. */
const adminHash = '$2a$12$VcCDgh2NDk07JGN0rjGbM.Ad41qVR/YFJcgHp0UGns5JDymv..TOG';

/** Lines for `opensearch.yml`. File names are relative to the node's configuration folder. */
export function securitySettings(): Settings {
  const pem = (layer: string): Settings => ({
    [`plugins.security.ssl.${layer}.pemcert_filepath`]: 'node.pem',
    [`plugins.security.ssl.${layer}.pemkey_filepath`]: 'node-key.pem',
    [`plugins.security.ssl.${layer}.pemtrustedcas_filepath`]: 'node.pem',
  });
  return {
    ...pem('transport'),
    ...pem('http'),
    'plugins.security.ssl.transport.enforce_hostname_verification': false,
    'plugins.security.ssl.http.enabled': true,
    'plugins.security.nodes_dn': ['*'],
    'plugins.security.allow_default_init_securityindex': true,
    'plugins.security.restapi.roles_enabled': ['all_access', 'security_rest_api_access'],
    'plugins.security.audit.type': 'noop',
  };
}

/** For a distribution that brings the plugin along, when the cluster is to be without it. */
export function withoutSecurity(distribution: string): Settings {
  const hasPlugin = existsSync(join(distribution, 'plugins/opensearch-security'));
  return hasPlugin ? { 'plugins.security.disabled': true } : {};
}

/**
 * The plugin's own configuration files, but with a single user, and without the role that the plugin gives to every
 * user: a user made by a test may do what the test allows and nothing else.
 * @param distribution with the plugin in it
 */
export async function securityFiles(distribution: string): Promise<Readonly<Record<string, string>>> {
  const folder = join(distribution, 'plugins/opensearch-security/config');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yml'));
  const files = await Promise.all(
    names.map(async (name): Promise<[string, string]> => [name, await readFile(join(folder, name), 'utf8')]),
  );
  return {
    ...Object.fromEntries(files),
    'internal_users.yml': internalUsers,
    'roles_mapping.yml': rolesMapping,
  };
}

// a JSON value is a YAML value
const internalUsers = `_meta: {"type": "internalusers", "config_version": 2}
${adminUser.name}: ${JSON.stringify({ hash: adminHash, reserved: false, backend_roles: ['admin'] })}
`;

const rolesMapping = `_meta: {"type": "rolesmapping", "config_version": 2}
all_access: {"backend_roles": ["admin"]}
`;
