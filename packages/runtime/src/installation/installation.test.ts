import { call, describeLook, RedisSide, TwoSides } from './__tests__/two-sides';

async function startOne() {
  const sides = new TwoSides();
  const process = sides.startProcess();
  expect(describeLook(await process.look(call))).toBe('ours');
  return { sides, process, names: sides.redis.content?.names };
}

test('processes that start at once agree on one set of names', async () => {
  const sides = new TwoSides();
  const processes = [sides.startProcess(), sides.startProcess(), sides.startProcess()];
  await Promise.all(processes.map((process) => process.look(call)));
  for (const process of processes) expect(describeLook(await process.look(call))).toBe('ours');
  expect(sides.redis.content?.names).toMatchObject({
    installationId: sides.stored?.record.installationId,
    redisId: sides.stored?.record.redisId,
    clusterUuid: 'c',
  });
});

test('who only looks writes nothing', async () => {
  const sides = new TwoSides();
  expect(await sides.pass(60_000, [sides.startProcess({ claims: false })])).toBe('create');
  expect([sides.stored, sides.redis.content]).toEqual([undefined, undefined]);
});

test('of many processes about one renews at a time', async () => {
  const { sides, process } = await startOne();
  const processes = [process, ...Array.from({ length: 9 }, () => sides.startProcess())];
  sides.writes = 0;
  expect(await sides.pass(100_000, processes)).toBe('ours');
  expect(sides.writes).toBe(20);
});

test('an emptied Redis gets the same names again from who has worked there; who starts waits for that', async () => {
  const { sides, process, names } = await startOne();
  sides.redis.content = undefined;
  const newcomer = sides.startProcess();
  expect(describeLook(await newcomer.look(call))).toBe('wait');
  expect(await sides.pass(5_000, [process, newcomer])).toBe('ours');
  expect(sides.redis.content).toMatchObject({ names });
});

test('an emptied Redis and no process left: the place is taken when its time is over, and not before', async () => {
  const { sides, names } = await startOne();
  sides.redis.content = undefined;
  const newcomer = sides.startProcess();
  await newcomer.look(call);
  expect(await sides.pass(25_000, [newcomer])).toBe('wait');
  expect(await sides.pass(5_000, [newcomer])).toBe('ours');
  expect(sides.redis.content).toMatchObject({
    names: {
      installationId: names?.installationId,
      redisId: expect.not.stringMatching(names?.redisId ?? '') as string,
    },
  });
});

test('a second Redis is refused while the first works, and its own place is not written', async () => {
  const { sides, process } = await startOne();
  const second = new RedisSide();
  expect(await sides.pass(20_000, [process, sides.startProcess({ redis: second })])).toBe('refused: redis');
  expect(second.content).toBeUndefined();
});

test('Redis is away for long: the place is kept', async () => {
  const { sides, process } = await startOne();
  sides.redis.away = true;
  const newcomer = sides.startProcess({ redis: new RedisSide() });
  await newcomer.look(call);
  expect(await sides.pass(120_000, [process, newcomer])).toBe('refused: redis');
  sides.redis.away = false;
  expect(describeLook(await process.look(call))).toBe('ours');
});

test('a process that comes back after another Redis was taken is refused; when that one is dead it has its place again', async () => {
  const { sides, process } = await startOne();
  const second = sides.startProcess({ redis: new RedisSide() });
  await second.look(call);
  expect(await sides.pass(30_000, [second])).toBe('ours');
  expect(await sides.pass(20_000, [second, process])).toBe('refused: redis');
  expect(await sides.pass(35_000, [process])).toBe('ours');
});

test('two clusters on one Redis: the second is refused while the first lives', async () => {
  const { sides, process } = await startOne();
  const elsewhere = new TwoSides();
  elsewhere.clusterUuid = 'd';
  const stranger = elsewhere.startProcess({ redis: sides.redis });
  const both = async (ms: number) => {
    let last = '';
    for (let passed = 0; passed < ms; passed += 5000) {
      await sides.pass(5000, [process]);
      last = await elsewhere.pass(5000, [stranger]);
    }
    return last;
  };
  expect(await both(10_000)).toBe('refused: redis');
  expect(describeLook(await process.look(call))).toBe('ours');
  // The first cluster's service has gone for good.
  expect(await elsewhere.pass(35_000, [stranger])).toBe('ours');
});

test('the address means another cluster, or the records were restored into another one', async () => {
  const { sides, process } = await startOne();
  sides.clusterUuid = 'd';
  expect(describeLook(await process.look(call))).toBe('refused: cluster');
  const fresh = sides.startProcess();
  expect(describeLook(await fresh.look(call))).toBe('refused: cluster');
  sides.redis.away = true;
  expect(describeLook(await fresh.look(call))).toBe('refused: cluster');
});
