import type { ClusterError } from '@aosc/engine';
import { classifyInnerError } from '../client/classify';
import { eachInAnswer, eachMember, malformed, skipValue } from './json-cursor';

/**
 * Cuts the answer of a `_msearch` into the answers of its searches, without parsing them.
 * @returns for each its bytes, or its error. They point into `bytes`.
 * @throws ClusterError 'transient' when the answer is truncated or malformed
 */
export function splitSearches(bytes: Buffer): readonly (Buffer | ClusterError)[] {
  const answers: (Buffer | ClusterError)[] = [];
  eachInAnswer(bytes, 'responses', (element) => {
    const [answer, elementEnd] = readElement(bytes, element);
    answers.push(answer);
    return elementEnd;
  });
  return answers;
}

function readElement(bytes: Buffer, element: number): readonly [Buffer | ClusterError, number] {
  let error: string | undefined;
  let status: number | undefined;
  const end = eachMember(bytes, element, (keyStart, keyEnd, value) => {
    const valueEnd = skipValue(bytes, value);
    const name = bytes.toString('latin1', keyStart, keyEnd);
    if (name === 'error') error = bytes.toString('utf8', value, valueEnd);
    if (name === 'status') status = Number(bytes.toString('latin1', value, valueEnd));
    return valueEnd;
  });
  if (error === undefined) return [bytes.subarray(element, end), end];
  return [classifyInnerError('POST /_msearch', parseError(error, element), status), end];
}

/** The scanner only skipped over this text, so it need not be JSON. */
function parseError(text: string, at: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('an error that is no JSON', at);
  }
}
