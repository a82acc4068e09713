import { type AliasProperties, ClusterError } from '@aosc/engine';
import { Byte, eachMember, skipContainer, skipValue } from './json-cursor';

/**
 * The aliases of one index in an answer of `GET {index}`, each with its properties as raw text.
 * @throws ClusterError 'transient' for a truncated or malformed answer
 */
export function readAliasTexts(bytes: Buffer, index: string): ReadonlyMap<string, AliasProperties> {
  const aliases = new Map<string, AliasProperties>();
  const only =
    (wanted: string, read: (value: number) => number) =>
    (keyStart: number, keyEnd: number, value: number): number =>
      readKey(bytes, keyStart, keyEnd) === wanted ? read(value) : skipValue(bytes, value);
  const readAlias = (keyStart: number, keyEnd: number, value: number): number => {
    if (bytes[value] !== Byte.openBrace)
      throw new ClusterError('transient', 'the properties of an alias are no object');
    const end = skipContainer(bytes, value);
    aliases.set(readKey(bytes, keyStart, keyEnd), { json: bytes.toString('utf8', value, end) });
    return end;
  };
  const readAliases = (value: number): number => eachMember(bytes, value, readAlias);
  eachMember(
    bytes,
    0,
    only(index, (value) => eachMember(bytes, value, only('aliases', readAliases))),
  );
  return aliases;
}

function readKey(bytes: Buffer, start: number, end: number): string {
  const key: unknown = JSON.parse(bytes.toString('utf8', start - 1, end + 1));
  if (typeof key !== 'string') throw new ClusterError('transient', 'a key that is no string');
  return key;
}
