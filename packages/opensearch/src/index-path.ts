import { ClusterError } from '@aosc/engine';

const longestNameBytes = 255;
// OpenSearch's forbidden characters for index and alias names, and control characters.
// eslint-disable-next-line no-control-regex -- the control characters are the point
const forbidden = /[\\/*?"<>| ,#:\u0000-\u001f\u007f]/;

/**
 * A concrete index name as a path segment. It refuses everything that OpenSearch would take for a wildcard, a list, an
 * exclusion, date math or another endpoint, because a call for one index must never reach another one.
 * @throws ClusterError 'invalid'
 */
export function indexPath(name: string): string {
  const path = aliasPath(name, 'index');
  if (name.toLowerCase() !== name) throw invalid('index', name, 'must be lower case');
  return path;
}

/** An alias name as a path segment: the rules of {@link indexPath}, but capital letters are allowed. */
export function aliasPath(name: string, kind: 'index' | 'alias' = 'alias'): string {
  if (name === '') throw invalid(kind, name, 'is empty');
  if (name === '.' || name === '..') throw invalid(kind, name, 'must not be "." or ".."');
  if (/^[_\-+]/.test(name)) throw invalid(kind, name, 'must not begin with _, - or +');
  if (forbidden.test(name)) throw invalid(kind, name, 'holds a character that OpenSearch forbids');
  if (Buffer.byteLength(name) > longestNameBytes)
    throw invalid(kind, name, `is over ${longestNameBytes} bytes long`);
  return encode(name, kind);
}

/** A document id as a path segment. */
export function documentPath(id: string): string {
  if (id === '' || id === '.' || id === '..') throw invalid('document', id, 'can not be addressed by a path');
  return encode(id, 'document');
}

/** The name of a pipeline of the service as a path segment. */
export function pipelinePath(name: string): string {
  return `/_ingest/pipeline/${aliasPath(name)}`;
}

function encode(name: string, kind: string): string {
  try {
    return encodeURIComponent(name);
  } catch {
    throw invalid(kind, name, 'is not well-formed Unicode');
  }
}

function invalid(kind: string, name: string, problem: string): ClusterError {
  return new ClusterError('invalid', `${kind} name ${JSON.stringify(name.slice(0, 300))} ${problem}`);
}
