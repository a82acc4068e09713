import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, NotStruck } from '../fault';

const spellMs = 6_000;

/** Half of them last until the migration has ended; the next run begins with the true time. */
const jump = (name: string, seconds: number, what: string): Fault => ({
  name,
  what,
  // A block that seems an hour old is given up, and so is a wait for a green target.
  demand: 'exact_or_safe',
  async strike({ arena, random }) {
    if (arena.clock === undefined) throw new NotStruck('libfaketime is not installed');
    arena.clock.jumpTo(seconds);
    await sleep(spellMs);
    if (random.next() < 0.5) arena.clock.jumpTo(0);
  },
});

export const clockFaults: readonly Fault[] = [
  jump(
    'clock_ahead',
    3600,
    "the service's clocks jump an hour ahead, and in half of the runs back after 6 s",
  ),
  jump(
    'clock_back',
    -3600,
    "the service's clocks jump an hour back, and in half of the runs ahead again after 6 s",
  ),
];
