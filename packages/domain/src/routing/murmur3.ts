/**
 * OpenSearch's `Murmur3HashFunction`: MurmurHash3 x86_32 with seed 0 over the string's UTF-16 code units, low byte
 * first. Two units make one 32-bit block.
 * @returns a signed 32-bit integer
 */
export function hashOfRouting(text: string): number {
  let hash = 0;
  const lastUnit = text.length - 1;
  for (let i = 0; i < lastUnit; i += 2) {
    hash ^= scramble(text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16));
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  if (text.length % 2 === 1) hash ^= scramble(text.charCodeAt(lastUnit));
  hash ^= text.length * 2;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function scramble(block: number): number {
  const k = Math.imul(block, 0xcc9e2d51);
  return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
}
