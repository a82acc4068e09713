import { setTimeout as sleep } from 'node:timers/promises';
import { answeredLate, type HttpCall, type HttpFault, overloaded, sometimes } from '@aosc/testkit';
import { type Fault, NotStruck, type Victim } from '../fault';

const spellMs = 8_000;

/** A rule of every proxy, for a while. */
async function during({ arena }: Victim, rule: (call: HttpCall) => HttpFault | undefined): Promise<void> {
  let struck = 0;
  const counted = (call: HttpCall): HttpFault | undefined => {
    const fault = rule(call);
    if (fault !== undefined) struck += 1;
    return fault;
  };
  const removers = arena.proxies.map((proxy) => proxy.addRule(counted));
  await sleep(spellMs);
  for (const remove of removers) remove();
  if (struck === 0) throw new NotStruck('no call came meanwhile');
}

/** Between the service and OpenSearch; the applications have their own way. */
export const networkFaults: readonly Fault[] = [
  {
    name: 'slow_answers',
    what: 'half of the answers of OpenSearch come 10 s late, for 8 s',
    demand: 'exact',
    hindersUs: true,
    strike: (victim) =>
      during(
        victim,
        sometimes(victim.random, 0.5, () => answeredLate(10_000)),
      ),
  },
  {
    name: 'overload',
    what: 'nine of ten requests are refused with 429, for 8 s',
    demand: 'exact',
    hindersUs: true,
    strike: (victim) =>
      during(
        victim,
        sometimes(victim.random, 0.9, () => overloaded(429)),
      ),
  },
  {
    name: 'cut_answers',
    what: 'a third of the answers break off after some bytes, for 8 s',
    demand: 'exact',
    hindersUs: true,
    strike: (victim) =>
      during(
        victim,
        sometimes(victim.random, 0.3, () => ({ cutAnswerAfterBytes: 1 + victim.random.below(200) })),
      ),
  },
  {
    name: 'partition',
    what: 'the service can not reach OpenSearch for 8 s',
    demand: 'exact',
    hindersUs: true,
    async strike({ arena }) {
      await Promise.all(arena.proxies.map((proxy) => proxy.refuseConnections()));
      await sleep(spellMs);
      await Promise.all(arena.proxies.map((proxy) => proxy.acceptConnections()));
    },
  },
];
