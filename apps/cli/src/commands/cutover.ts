import type { CutoverRequest, CutoverWindow, MigrationStatus } from '@aosc/client';
import { weekdays } from '@aosc/contract';
import { UsageError } from '../failure';
import type { Flags } from '../flags';
import { plain } from '../output/text';
import type { Action } from '../session';
import { describeCutover } from '../status/describe-cutover';

/** `aosc cutover <index>`: approves it, unless a flag says otherwise. */
export const cutoverAction: Action = async (session, [index = '']) => {
  const { signal } = session.shell;
  const request = readOrder(session.flags);
  if (session.isDryRun && !session.printsRequests) {
    const { phase, cutover } = await (await session.client()).status(index, { signal });
    session.print({ phase, cutover, would_order: request }, () => [
      `would ${wordsFor(request, cutover)} the cutover of ${plain(index)}, which is ${phase}; now it is ${describeCutover(cutover)}`,
    ]);
    return 'done';
  }
  const answer = await session.send((client) => client.cutover(index, request, { signal }));
  if (answer !== undefined) {
    session.print(answer, () => [
      `${plain(index)}: ${doneWordsFor(request, answer.cutover)}; now it is ${describeCutover(answer.cutover)}`,
    ]);
  }
  return 'done';
};

type Cutover = MigrationStatus['cutover'];

function wordsFor(request: CutoverRequest, before: Cutover): string {
  if (request.force === true) return 'begin';
  if (request.postpone === true) return 'postpone';
  return staysPostponed(request, before) ? 'accept the documents, but not approve' : 'approve';
}

function doneWordsFor(request: CutoverRequest, now: Cutover): string {
  if (request.force === true) return 'the cutover is ordered at once';
  if (request.postpone === true) return 'the cutover is postponed';
  return staysPostponed(request, now)
    ? 'the documents are accepted, the cutover is not approved'
    : 'the cutover is approved';
}

/** Documents can be accepted without an approval: an order from before stays. */
const staysPostponed = ({ accept_set_aside: digest }: CutoverRequest, cutover: Cutover): boolean =>
  digest !== undefined && cutover?.order?.type === 'postponed';

function readOrder(flags: Flags): CutoverRequest {
  const [force, postpone] = [flags.isOn('force'), flags.isOn('postpone')];
  if (force && postpone) throw new UsageError('--force and --postpone: give one of them');
  const digest = flags.text('acceptSetAside');
  return {
    ...(force && { force }),
    ...(postpone && { postpone }),
    ...(digest !== undefined && { accept_set_aside: digest }),
  };
}

/** `sat,sun 22:00-04:00 Europe/Berlin`: days and zone may be left out. The API judges the parts. @throws UsageError */
export function readWindow(text: string): CutoverWindow {
  const match = /^(?:([a-z,]+)\s+)?([\d:]+)-([\d:]+)(?:\s+(\S+))?$/i.exec(text.trim());
  const [, days, from, to, zone] = match ?? [];
  if (from === undefined || to === undefined) {
    throw new UsageError(
      `--window [${text}]: expected "[days] from-to [time zone]", like "sat,sun 22:00-04:00 Europe/Berlin"`,
    );
  }
  return {
    ...(days !== undefined && { days: readDays(days) }),
    from,
    to,
    ...(zone !== undefined && { time_zone: zone }),
  };
}

/** @throws UsageError */
function readDays(text: string): NonNullable<CutoverWindow['days']> {
  return text
    .toLowerCase()
    .split(',')
    .map((given) => {
      const day = weekdays.find((known) => known === given);
      if (day === undefined) throw new UsageError(`--window: [${given}] is no day: ${weekdays.join(', ')}`);
      return day;
    });
}
