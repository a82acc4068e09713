import { Type } from '@sinclair/typebox';
import { maybe } from './shapes';

/** What a caller may do, from least to most: each role includes the ones before it. */
export const roles = ['read', 'operate', 'admin'] as const;
export type Role = (typeof roles)[number];

/** What a credential may have: a role, or a permission that no role includes for limited credentials. */
const grants = [...roles, 'transform'] as const;
export type Grant = (typeof grants)[number];

/** A name goes into log lines as it is, so it is kept plain. */
const Name = Type.String({ pattern: '^[A-Za-z0-9._@-]{1,128}$' });
const Hash = Type.String({ minLength: 1, maxLength: 1024 });

const Patterns = maybe(
  Type.Array(Type.String({ pattern: '^[^\\s,/]{1,255}$' }), { minItems: 1, maxItems: 1000 }),
);

const access = {
  roles: Type.Array(Type.Union(grants.map((grant) => Type.Literal(grant))), {
    minItems: 1,
    uniqueItems: true,
  }),
  /** index names in which `*` stands for any text; left out: every index */
  index_patterns: Patterns,
  /** the same for the alias of a start; left out: the index patterns */
  alias_patterns: Patterns,
};

/** The file that `AOSC_AUTH_FILE` names: who may call the API. It holds hashes, never a password or a key. */
export const CredentialsFileSchema = Type.Object(
  {
    users: maybe(
      Type.Array(
        Type.Object({ name: Name, password_hash: Hash, ...access }, { additionalProperties: false }),
        { maxItems: 1000 },
      ),
    ),
    api_keys: maybe(
      Type.Array(Type.Object({ name: Name, key_hash: Hash, ...access }, { additionalProperties: false }), {
        maxItems: 1000,
      }),
    ),
  },
  { additionalProperties: false },
);
