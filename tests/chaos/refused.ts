import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient, UnexpectedAnswer } from '@aosc/testkit';
import { isPassing } from './arena';
import { isOver, type Victim } from './fault';
import { readRecord } from './reach';

export const refusedIds = Array.from({ length: 8 }, (_, n) => `refused-${n}`);
/** The source takes it, and the target does when a person has {@link startDeciding decided}. */
export const refusedSource = '{"odd":{"field":1}}';
const refusing = { odd: { type: 'object', dynamic: 'strict' } };
const taking = { odd: { properties: { field: { type: 'long' } } } };

type Place = Pick<Victim, 'arena' | 'target'>;

const putMapping = ({ arena, target }: Place, properties: object): Promise<unknown> =>
  arena.ask('PUT', `/${target}/_mapping`, { properties });

export const refuse = (place: Place): Promise<unknown> => putMapping(place, refusing);

/**
 * What a person does whose cutover waits for documents that were set aside: changes the mapping, and asks for a retry until
 * nothing waits any more.
 * @returns ends it, and throws what went wrong
 */
export function startDeciding(victim: Victim): () => Promise<void> {
  let isOn = true;
  const decided = decide(victim, () => isOn);
  // It is thrown where it is ended.
  decided.catch(() => undefined);
  return async () => {
    isOn = false;
    await decided;
  };
}

const lookMs = 300;
/** A retry that a fault has met is lost. */
const againMs = 3_000;

async function decide(victim: Victim, isOn: () => boolean): Promise<void> {
  while (isOn()) {
    const { phase } = await readRecord(victim);
    if (isOver(phase)) return;
    if (phase === 'PREPARING_TARGET' && (await retry(victim))) await sleep(againMs);
    else await sleep(lookMs);
  }
}

/** @returns whether the service has taken the wish */
async function retry(victim: Victim): Promise<boolean> {
  const { arena, source } = victim;
  try {
    await putMapping(victim, taking);
    const path = `/_plugins/_aosc/${source}/_set_aside/_retry`;
    const { status } = await createHttpClient([arena.environment.apiUrl]).send({ method: 'POST', path });
    return status === 200;
  } catch (error) {
    // The end of the migration may have taken the target away.
    const isMissing = error instanceof UnexpectedAnswer && error.answer.status === 404;
    if (isMissing || isPassing(error)) return false;
    throw error;
  }
}
