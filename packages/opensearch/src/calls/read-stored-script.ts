import { createParser, maybe } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { documentPath } from '../index-path';

const parse = createParser(
  'answer of _scripts',
  Type.Object({
    found: Type.Boolean(),
    script: maybe(Type.Object({ lang: Type.String(), source: Type.String() })),
  }),
);

/** `GET _scripts/{id}`. @returns undefined when there is no such script */
export async function readStoredScript(
  client: OpenSearchClient,
  id: string,
  call: Call,
): Promise<{ readonly lang: string; readonly source: string } | undefined> {
  const path = `/_scripts/${documentPath(id)}`;
  const { found, script } = await requestJson(client, { method: 'GET', path }, parse, call, [404]);
  return found ? script : undefined;
}
