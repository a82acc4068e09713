import { createRandom } from '../random';
import { makeDocument, makePartial } from '../random-document';
import { KeyRange, type KeyRangeOptions } from './key-range';
import { defaultMix, fitsBulk, fitsUrl } from './operation';

const options: KeyRangeOptions = {
  prefix: 'w0-',
  adopt: ['a', 'b', 'c'],
  mix: defaultMix,
  routed: false,
  externalVersions: false,
  spellId: (plain) => plain,
  makeDocument,
  makePartial,
};

function plan(seed: number, changes: Partial<KeyRangeOptions> = {}, batches = 200) {
  const keys = new KeyRange(createRandom(seed), { ...options, ...changes });
  return Array.from({ length: batches }, () => keys.planBatch(8));
}

test('the same seed plans the same operations, another seed others', () => {
  expect(plan(5)).toEqual(plan(5));
  expect(plan(5)).not.toEqual(plan(6));
});

test('no batch writes an id twice, and every kind of operation of the mix occurs', () => {
  const batches = plan(1);
  for (const batch of batches) expect(new Set(batch.map(({ id }) => id)).size).toBe(batch.length);
  const purposes = new Set(batches.flat().map(({ purpose }) => purpose));
  expect([...purposes].sort()).toEqual(['delete', 'insert', 'partial', 'recreate', 'update']);
});

test('every operation fits the life of its document', () => {
  const alive = new Set(options.adopt);
  const deleted = new Set<string>();
  for (const { id, purpose } of plan(2).flat()) {
    if (purpose === 'insert') expect(alive.has(id) || deleted.has(id)).toBe(false);
    else if (purpose === 'recreate') expect(deleted.delete(id)).toBe(true);
    else expect(alive.has(id)).toBe(true);
    if (purpose === 'delete') {
      alive.delete(id);
      deleted.add(id);
    } else alive.add(id);
  }
});

test('a routed writer gives every document a routing that differs from its id and that others share', () => {
  const writes = plan(3, { routed: true, adopt: [] }).flat();
  const routings = new Map(writes.map(({ id, routing }) => [id, routing]));
  expect(new Set(routings.values()).size).toBeLessThan(routings.size);
  for (const [id, routing] of routings) {
    expect(routing).toBeDefined();
    expect(routing).not.toBe(id);
  }
});

test('an id that fits no URL comes with documents that fit a bulk', () => {
  const spellId = (plain: string): string => (/[02468]$/.test(plain) ? `${plain}\ud83d` : plain);
  const writes = plan(6, { spellId, adopt: [] }, 400).flat();
  const [odd, plain] = [writes.filter((one) => !fitsUrl(one)), writes.filter(fitsUrl)];
  expect(odd.length).toBeGreaterThan(100);
  expect(odd.every(fitsBulk)).toBe(true);
  expect(plain.every(fitsBulk)).toBe(false);
});

test('external versions of one id only grow, also over its deletion, and some exceed 2^53', () => {
  const versions = new Map<string, bigint>();
  for (const { id, externalVersion = -1n } of plan(4, { externalVersions: true, adopt: [] }).flat()) {
    expect(externalVersion > (versions.get(id) ?? 0n)).toBe(true);
    versions.set(id, externalVersion);
  }
  expect([...versions.values()].some((version) => version > BigInt(Number.MAX_SAFE_INTEGER))).toBe(true);
});

test('a retired id is never written again', () => {
  const keys = new KeyRange(createRandom(1), { ...options, mix: { ...defaultMix, insert: 0 } });
  keys.retire('b');
  const ids = Array.from({ length: 100 }, () => keys.planBatch(4))
    .flat()
    .map(({ id }) => id);
  expect(ids).toContain('a');
  expect(ids).not.toContain('b');
});

test('a rerouted document keeps its id and is not updated in part', () => {
  const writes = plan(7, { routed: true, adopt: [], mix: { ...defaultMix, reroute: 30 } }).flat();
  const rerouted = new Set(writes.filter(({ purpose }) => purpose === 'reroute').map(({ id }) => id));
  expect(rerouted.size).toBeGreaterThan(0);
  const since = new Set<string>();
  for (const { id, purpose, verb } of writes) {
    if (purpose === 'reroute') since.add(id);
    if (since.has(id)) expect(verb).not.toBe('update');
  }
});

test('a document moves when its delete is acknowledged, to another routing, and some move several times', () => {
  const homes = new Map<string, string | undefined>(options.adopt.map((id) => [id, undefined]));
  const moves = new Map<string, number>();
  for (const batch of plan(8, { mix: { ...defaultMix, move: 30 } })) {
    const deleted = batch.filter(({ verb }) => verb === 'delete').map(({ id }) => id);
    for (const { id, purpose, verb, routing } of batch) {
      if (purpose === 'move') {
        expect(deleted).not.toContain(id);
        expect(homes.has(id)).toBe(false);
        moves.set(id, (moves.get(id) ?? 0) + 1);
      } else if (homes.has(id)) expect(routing).toBe(homes.get(id));
      if (verb === 'delete') homes.delete(id);
      else homes.set(id, routing);
    }
  }
  expect(Math.max(...moves.values())).toBeGreaterThan(2);
});

test('a document whose delete has an unknown outcome does not arrive anywhere', () => {
  const keys = new KeyRange(createRandom(9), { ...options, mix: { ...defaultMix, move: 200 } });
  const left = keys.planBatch(8).filter(({ verb }) => verb === 'delete');
  expect(left.length).toBeGreaterThan(0);
  for (const { id } of left) keys.retire(id);
  const later = Array.from({ length: 50 }, () => keys.planBatch(8)).flat();
  for (const { id } of left) expect(later.some((operation) => operation.id === id)).toBe(false);
});
