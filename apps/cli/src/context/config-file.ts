import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createParser, ShapeError } from '@aosc/contract';
import { type Static, Type } from '@sinclair/typebox';
import { UsageError } from '../failure';

const Text = Type.String({ minLength: 1 });

const ContextSchema = Type.Object(
  {
    url: Text,
    api_key: Type.Optional(Text),
    username: Type.Optional(Text),
    password: Type.Optional(Text),
    ca_file: Type.Optional(Text),
    allow_plain_credentials: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type ContextEntry = Static<typeof ContextSchema>;

const parseShape = createParser(
  'the configuration file',
  Type.Object(
    {
      current_context: Type.Optional(Text),
      contexts: Type.Record(Type.String({ pattern: '^[\\s\\S]*$' }), ContextSchema),
    },
    { additionalProperties: false },
  ),
);

export interface ConfigFile {
  readonly currentContext?: string;
  readonly contexts: Readonly<Record<string, ContextEntry>>;
}

/** Where the file is: `AOSC_CONFIG`, else where the user's configuration is. */
export function configPath(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const own = env['AOSC_CONFIG'] ?? '';
  if (own !== '') return own;
  const folder = env['XDG_CONFIG_HOME'] ?? '';
  return join(folder === '' ? join(home, '.config') : folder, 'aosc', 'config.json');
}

/** @throws UsageError that names what is wrong, and never quotes the text */
export function parseConfig(text: string, path: string): ConfigFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not JSON`);
  }
  try {
    const { current_context: current, contexts } = parseShape(value);
    for (const [name, entry] of Object.entries(contexts)) checkCredentials(name, entry, path);
    return { contexts, ...(current !== undefined && { currentContext: current }) };
  } catch (error) {
    if (error instanceof ShapeError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

function checkCredentials(name: string, entry: ContextEntry, path: string): void {
  const { api_key: key, username, password } = entry;
  if ((username === undefined) !== (password === undefined)) {
    throw new UsageError(`${path}: context [${name}] has one of username and password: set both or none`);
  }
  if (key !== undefined && username !== undefined) {
    throw new UsageError(`${path}: context [${name}] has an api_key and a username: set one of them`);
  }
}

const maxBytes = 1024 * 1024;

/**
 * Reads the file, which holds secrets, only when no other user can. It checks the file that it has opened, so no
 * process can exchange it in between.
 * @returns undefined when there is none @throws UsageError
 */
export function readConfigFile(path: string): ConfigFile | undefined {
  const file = open(path);
  if (file === undefined) return undefined;
  try {
    const stats = fstatSync(file);
    const { mode, size, uid } = stats;
    if (!stats.isFile()) throw new UsageError(`${path} is no file`);
    const isPosix = process.platform !== 'win32';
    if (isPosix && (mode & 0o077) !== 0) {
      throw new UsageError(
        `${path} can be read or changed by others, and holds credentials: chmod 600 ${path}`,
      );
    }
    const own = process.getuid?.();
    if (isPosix && own !== undefined && uid !== own && uid !== 0) {
      throw new UsageError(`${path} belongs to another user`);
    }
    if (size > maxBytes) throw new UsageError(`${path} is larger than 1 MiB`);
    return parseConfig(readFileSync(file, 'utf8'), path);
  } finally {
    closeSync(file);
  }
}

function open(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    const { code, message } = fieldsOf(error);
    if (code === 'ENOENT') return undefined;
    throw new UsageError(`${path} can't be read: ${String(message ?? error)}`);
  }
}

/** Looks at the fields and not at the class: errors of another realm are of another class. */
function fieldsOf(error: unknown): { readonly code?: unknown; readonly message?: unknown } {
  return typeof error === 'object' && error !== null ? error : {};
}
