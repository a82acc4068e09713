import { createParser } from '@aosc/contract';
import { callJson, type HttpClient, UnexpectedAnswer } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { alias, records, source, target } from './names';
import { RefusedError } from './refused-error';

const parseRoot = createParser(
  'answer of GET /',
  Type.Object({ version: Type.Object({ number: Type.String() }) }),
);

/**
 * Makes sure that the demo disturbs no other user of this cluster: none of its names is taken, and no service works
 * there.
 * @param shown the cluster's address without credentials
 * @returns its version
 * @throws RefusedError
 */
export async function examineBorrowedCluster(
  http: HttpClient,
  shown: string,
  signal: AbortSignal,
): Promise<string> {
  const { version } = await callJson(http, parseRoot, 'GET', '/', undefined, signal);
  if (await exists(http, records, signal)) {
    throw new RefusedError(
      `The cluster at ${shown} has the records of an installation of AOSC (index ${records}), and two can't work on one ` +
        'cluster: the demo has touched nothing. Give it another cluster, or leave --opensearch (AOSC_OPENSEARCH_URL) out and ' +
        'it starts one. If no AOSC is used there (a demo that was killed leaves the index behind), delete the index: ' +
        `DELETE /${records}`,
    );
  }
  for (const name of [source, target, alias]) {
    if (!(await exists(http, name, signal))) continue;
    throw new RefusedError(
      `The cluster at ${shown} has an index or alias ${name}, a name that the demo needs: it has touched nothing. Give it another ` +
        'cluster, or leave --opensearch (AOSC_OPENSEARCH_URL) out and it starts one. If it is left from a demo that was killed, ' +
        `delete it: DELETE /${name === alias ? `${source},${target}` : name}`,
    );
  }
  return version.number;
}

/** Whether an index, an alias or a data stream has this very name. */
async function exists(http: HttpClient, name: string, signal: AbortSignal): Promise<boolean> {
  const request = { method: 'GET', path: `/${name}?expand_wildcards=all`, signal } as const;
  const answer = await http.send(request);
  if (answer.status === 404) return false;
  if (answer.status === 200) return true;
  throw new UnexpectedAnswer(request, answer);
}
