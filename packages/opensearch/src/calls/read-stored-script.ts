import { createParser, maybe } from '@aosc/contract';
import type { TransformPort } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { Asks } from '../bind-calls';
import { requestJson } from '../client/request';
import { documentPath } from '../index-path';

const parse = createParser(
  'answer of _scripts',
  Type.Object({
    found: Type.Boolean(),
    script: maybe(Type.Object({ lang: Type.String(), source: Type.String() })),
  }),
);

/** `GET _scripts/{id}`. @returns undefined when there is no such script */
export const readStoredScript: Asks<TransformPort['readStoredScript']> = async (client, id, call) => {
  const path = `/_scripts/${documentPath(id)}`;
  const { found, script } = await requestJson(client, { method: 'GET', path }, parse, call, [404]);
  return found ? script : undefined;
};
