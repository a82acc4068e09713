/** Random numbers that are the same for the same seed, on every machine. */
export interface Random {
  /** 0 <= x < 1 */
  next(): number;
  /** a whole number, 0 <= x < limit */
  below(limit: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
}

/** @param seed whole number (mulberry32: 32 bits of state, enough for test data) */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, pick: (list) => list[below(list.length)] ?? list[0] };
}
