import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../fault';

const spellMs = 6_000;

const jump = (name: string, seconds: number, what: string): Fault => ({
  name,
  what,
  // A block that seems an hour old is given up, and so is a wait for a green target.
  demand: 'exact_or_safe',
  async strike({ arena }) {
    arena.clock?.jumpTo(seconds);
    await sleep(spellMs);
    arena.clock?.jumpTo(0);
  },
});

export const clockFaults: readonly Fault[] = [
  jump('clock_ahead', 3600, "the service's clocks jump an hour ahead, and back after 6 s"),
  jump('clock_back', -3600, "the service's clocks jump an hour back, and ahead again after 6 s"),
];
