import { type CreateTargetRequest, flagsOf, type StartRequest } from '@aosc/client';

/** A text as one argument of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A word of a command, in quotes where a shell would interpret it. */
const word = (text: string): string => (/^[\w./:=-]+$/.test(text) ? text : quote(text));

const json = (value: unknown): string => JSON.stringify(value);

/** The request as curl sends it. @param origin of the API */
export function curlCommand(origin: string, method: string, path: string, body?: unknown): string {
  const parts = [`curl -X ${method} ${quote(`${origin}${path}`)}`];
  if (body !== undefined) {
    parts.push("-H 'content-type: application/json'", `-d ${quote(JSON.stringify(body, undefined, 2))}`);
  }
  return parts.join(' \\\n  ');
}

type Flags = readonly (readonly string[])[];

function valued(flag: string, value: unknown, show: (value: unknown) => string = String): Flags {
  return value === undefined ? [] : [[flag, show(value)]];
}

/** The start as the command line sends it. @param origin of the API */
export function startCommand(
  origin: string,
  source: string,
  {
    target_index: target,
    alias,
    transform_script: script,
    create_target: made = {},
    options = {},
    plan,
  }: Partial<StartRequest>,
): string {
  return aoscCommand(
    origin,
    ['start', source || 'source', target ?? 'target'],
    [
      ['--alias', alias ?? 'alias'],
      ...flagsOf(options),
      ...valued('--shards', made.number_of_shards),
      ...valued('--settings', made.settings, json),
      ...valued('--script', script?.source),
      ...valued('--stored-script', script?.id),
      ...valued('--script-params', script?.params, json),
      ...valued('--plan', plan),
    ],
  );
}

/** The creation of a target as the command line sends it. @param origin of the API */
export function createTargetCommand(origin: string, source: string, request: CreateTargetRequest): string {
  const { target_index: target, number_of_shards: shards, settings, mappings } = request;
  return aoscCommand(
    origin,
    ['create-target', source || 'source', target || 'target'],
    [
      ...valued('--shards', shards),
      ...valued('--settings', settings, json),
      ...valued('--mappings', mappings, json),
    ],
  );
}

/** A change of settings as the command line sends it. @param origin of the API @param values null: the default */
export function setCommand(origin: string, values: readonly (readonly [string, string | null])[]): string {
  const pairs = values.map(([name, value]) => `${name}=${value ?? 'null'}`);
  return aoscCommand(origin, ['settings', 'set', ...pairs], []);
}

function aoscCommand(origin: string, words: readonly string[], flags: Flags): string {
  const lines = [words, ['--url', origin], ...flags].map((line) => line.map(word).join(' '));
  return `aosc ${lines.join(' \\\n  ')}`;
}
