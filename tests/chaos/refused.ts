import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient, type HttpClient, UnexpectedAnswer } from '@aosc/testkit';
import { refusedField, refusingMapping, takingMapping } from '../support/refused-mapping';
import { isPassing } from './arena';
import { isOver, type Victim } from './fault';
import { readRecord } from './reach';

export const refusedIds = Array.from({ length: 8 }, (_, n) => `refused-${n}`);
/** The source takes such a document, and the target does when a person has {@link startDeciding decided}. */
export const refusedSource = `{${refusedField}}`;

type Place = Pick<Victim, 'arena' | 'target'>;

const putMapping = ({ arena, target }: Place, mapping: object): Promise<unknown> =>
  arena.ask('PUT', `/${target}/_mapping`, mapping);

export const refuse = (place: Place): Promise<unknown> => putMapping(place, { properties: refusingMapping });

/**
 * What a person does whose cutover waits for documents that were set aside: changes the mapping, and asks for a retry until
 * nothing waits any more.
 * @returns ends the waiting, and throws what went wrong
 */
export function startDeciding(victim: Victim): () => Promise<void> {
  let isOn = true;
  const api = createHttpClient([victim.arena.environment.apiUrl]);
  const decided = decide(victim, api, () => isOn).finally(() => api.close());
  // The function below throws what went wrong.
  decided.catch(() => undefined);
  return async () => {
    isOn = false;
    await decided;
  };
}

const lookMs = 300;
/** A retry that a fault has met is lost. */
const againMs = 3_000;

async function decide(victim: Victim, api: HttpClient, isOn: () => boolean): Promise<void> {
  while (isOn()) {
    const { phase } = await readRecord(victim);
    if (isOver(phase)) return;
    if (phase === 'PREPARING_TARGET' && (await retry(victim, api))) await sleep(againMs);
    else await sleep(lookMs);
  }
}

/** @returns whether the service has taken the wish */
async function retry(victim: Victim, api: HttpClient): Promise<boolean> {
  try {
    await putMapping(victim, takingMapping);
    const path = `/_plugins/_aosc/${victim.source}/_set_aside/_retry`;
    const { status } = await api.send({ method: 'POST', path });
    return status === 200;
  } catch (error) {
    // The end of the migration may have taken the target away.
    const isMissing = error instanceof UnexpectedAnswer && error.answer.status === 404;
    if (isMissing || isPassing(error)) return false;
    throw error;
  }
}
