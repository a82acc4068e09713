import { createConnectionTable, type DropReason } from './connection-table';

function createTable(max: number, maxOfClient: number) {
  const drops: DropReason[] = [];
  const closed: string[] = [];
  const table = createConnectionTable({ max, maxOfClient, onDrop: (reason) => drops.push(reason) });
  const open = (client: string, id: string) => table.admit(client, id, () => closed.push(id));
  const connect = (client: string, id: string) => open(client, id) !== undefined;
  return { table, open, connect, drops, closed };
}

test('one address holds so many, and gets a place again when one has ended', () => {
  const { table, open, connect, drops } = createTable(100, 2);
  const ended = open('a', '1');
  expect([connect('a', '2'), connect('a', '3'), connect('b', '4')]).toEqual([true, false, true]);
  table.requestBegan('a', '1')();
  ended?.();
  expect(connect('a', '5')).toBe(true);
  expect(drops).toEqual(['address_full']);
});

test('when all places are taken, the address with the most gives up the oldest that nothing is done for', () => {
  const { table, connect, drops, closed } = createTable(5, 4);
  for (const id of ['a1', 'a2', 'a3', 'a4']) connect('a', id);
  connect('b', 'b1');
  table.requestBegan('a', 'a1');
  expect(connect('c', 'c1')).toBe(true);
  expect(closed).toEqual(['a2']);
  expect(connect('c', 'c2')).toBe(true);
  expect(closed).toEqual(['a2', 'a3']);
  expect(drops).toEqual(['gave_way', 'gave_way']);
});

test('where requests run on all of them, it gives up its oldest', () => {
  const { table, connect, closed } = createTable(3, 3);
  for (const id of ['1', '2', '3']) {
    connect('a', id);
    table.requestBegan('a', id);
  }
  expect(connect('b', '4')).toBe(true);
  expect(closed).toEqual(['1']);
});

test('who holds as many as any other gets none on top', () => {
  const { connect, drops, closed } = createTable(4, 4);
  for (const [client, id] of [
    ['a', '1'],
    ['a', '2'],
    ['b', '3'],
    ['b', '4'],
  ] as const) {
    connect(client, id);
  }
  expect(connect('a', '5')).toBe(false);
  expect(drops).toEqual(['all_full']);
  expect(closed).toEqual([]);
});

test('a connection that ends without a request is counted, one that gave way is counted once', () => {
  const { open, drops } = createTable(1, 2);
  const ended = open('a', '1');
  ended?.();
  ended?.();
  expect(drops).toEqual(['no_request']);
});

test('a port that is used again before its last connection is seen to have ended takes no second place', () => {
  const { table, open, connect, drops } = createTable(2, 2);
  const first = open('a', '1');
  const second = open('a', '1');
  const requestEnded = table.requestBegan('a', '1');
  first?.();
  requestEnded();
  expect(connect('a', '2')).toBe(true);
  expect(connect('b', '3')).toBe(true);
  second?.();
  expect(drops).toEqual(['no_request', 'gave_way']);
});
