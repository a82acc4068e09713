import { describePhase, type MigrationStatus } from '@aosc/client';
import { formatSeconds, plain } from '../output/text';
import { describeCutover } from './describe-cutover';
import { sumUp } from './totals';

/** A status in one line, for pipes and logs. Unknown values are left out. */
export function renderLine(status: MigrationStatus, nowMillis: number): string {
  const { copied, documents, documentsPerSecond, gap, replayed, remainingSeconds, phases } = sumUp(status);
  const shards = [...phases].map(([phase, count]) => `${count} ${phase}`).join(', ');
  const { waiting_for: waiting, error_message: error, cutover, phase } = status;
  const isPutOff = phase === 'PREPARING_TARGET' && cutover?.waits_for !== undefined;
  return [
    new Date(nowMillis).toISOString(),
    describePhase(status),
    `[${shards}]`,
    `copied=${copied}${documents === undefined ? '' : `/${documents}`}`,
    `docs/s=${documentsPerSecond}`,
    `replayed=${replayed}`,
    `gap=${gap}`,
    ...(remainingSeconds === undefined ? [] : [`left=${formatSeconds(remainingSeconds).replace(' ', '')}`]),
    ...(isPutOff ? [`cutover=(${describeCutover(cutover)})`] : []),
    ...(waiting === undefined ? [] : [`waits_for=${waiting.reason} (${plain(waiting.text ?? '')})`]),
    ...(error === undefined ? [] : [`error=${plain(error)}`]),
  ].join(' ');
}

/** Phases, and what the migration waits for: a new line is printed when this changes. */
export function describeStep({
  phase,
  shards,
  waiting_for: waiting,
  error_message: error,
  cutover,
}: MigrationStatus): string {
  const phases = Object.values(shards).map((shard) => shard.phase);
  return JSON.stringify([phase, phases, waiting?.reason, error, cutover?.state]);
}
