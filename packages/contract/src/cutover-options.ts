import { type Static, Type } from '@sinclair/typebox';
import { byName, count, integer, list, maybe, off, oneOf, text } from './shapes';
import { SetAsideSchema } from './set-aside';
import type { CamelStatic } from './case';

/** When a cutover may begin. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

const maxWindows = 20;

export const CutoverWindowSchema = Type.Object(
  {
    days: maybe(
      Type.Unsafe<readonly Weekday[]>({
        type: 'array',
        items: { type: 'string', enum: [...weekdays] },
        minItems: 1,
        maxItems: weekdays.length,
        uniqueItems: true,
        description: 'The days on which it opens. Default: every day.',
      }),
    ),
    from: Type.String({
      pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
      description: 'Time of the day at which it opens.',
    }),
    to: Type.String({
      pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$',
      description: 'Time at which it closes; earlier than `from`: on the next day.',
    }),
    time_zone: maybe(
      Type.String({
        minLength: 1,
        maxLength: 64,
        default: 'UTC',
        description: 'A name of the IANA database, like Europe/Berlin.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type CutoverWindow = Readonly<Static<typeof CutoverWindowSchema>>;

/** Options of a start that say when its cutover may begin. Beside the contract. */
export const cutoverOptions = {
  cutover: maybe(
    oneOf(
      ['automatic', 'manual'],
      'manual: the cutover waits until it is approved (_cutover), while the copy stays close to its source. Default: automatic.',
    ),
  ),
  cutover_not_before: maybe(
    Type.String({
      maxLength: 40,
      description: 'The cutover does not begin before this date and time, like 2026-11-28T02:00:00+01:00.',
    }),
  ),
  cutover_windows: maybe(
    Type.Unsafe<readonly CutoverWindow[]>({
      type: 'array',
      items: CutoverWindowSchema,
      minItems: 1,
      maxItems: maxWindows,
      description: 'The cutover begins only inside one of these. Default: at any time.',
    }),
  ),
  max_pause_ms: maybe(
    Type.Integer({
      minimum: 100,
      maximum: 3_600_000,
      description:
        'Longest pause of writes. A cutover begins only where the pause is predicted to be no longer. One whose last rounds take longer, from the request for the write hold or the write block on, is undone and tried again later. Default: aosc.cutover.max_pause.',
    }),
  ),
  max_cutover_attempts: maybe(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      description: 'The migration fails after this many undone cutovers. Default: no limit.',
    }),
  ),
};

const cutoverOrders = ['approved', 'forced', 'postponed'] as const;

/** The last word of an operator about the moment of the cutover. */
const CutoverOrderSchema = Type.Object({
  type: oneOf(cutoverOrders),
  at_millis: integer('epoch ms'),
  by: maybe(text('kind and name of the credential; absent: the API asked for none')),
});

/** Settings of the source under which its writers wait. */
const WriteHoldSchema = Type.Object({
  requested_at_millis: integer('epoch ms'),
  originals: byName(
    Type.Union([Type.String(), Type.Null()]),
    'as they were before; null: the setting was at its default',
  ),
  put: byName(Type.String(), 'what they are set to'),
  given_back: Type.Boolean(),
});

export type WriteHold = CamelStatic<typeof WriteHoldSchema>;
export type CutoverOrder = CamelStatic<typeof CutoverOrderSchema>;

/** What a record keeps of the orders, and of attempts that went back. */
export const cutoverFields = {
  set_aside_accepted: SetAsideSchema.properties.accepted,
  cutover_order: maybe(CutoverOrderSchema),
  put_offs: maybe(
    Type.Array(
      Type.Object({
        at_millis: Type.Integer(),
        reason: Type.String(),
        blocked_ms: maybe(integer('absent: nothing was blocked')),
        held_ms: maybe(integer('absent: no writer was held')),
        predicted_ms: maybe(integer('the predicted pause for which it has not even begun')),
      }),
      {
        description: 'why cutovers went back to the replay; the last ones',
      },
    ),
  ),
  undoing: maybe(text('why the cutover is being undone; write hold and write block end next')),
  write_hold: maybe(WriteHoldSchema),
  without_hold: maybe(text('why the last cutover has refused writes without holding them first')),
  undone_count: maybe(integer('cutovers that were undone')),
  next_attempt_millis: maybe(integer('the cutover begins no earlier, epoch ms')),
  measured: maybe(
    Type.Object(
      { refresh_ms: count(), request_ms: count() },
      { description: 'a refresh of the target and a request, at the last look before a cutover' },
    ),
  ),
  pinned: maybe(
    Type.Object(
      { bytes: maybe(count('absent: the cluster does not say')), at_millis: Type.Integer() },
      { description: 'disk that snapshots kept from being freed while the cutover was postponed' },
    ),
  ),
};

/** The body of `_cutover`. */
export const CutoverRequestSchema = Type.Object(
  {
    force: maybe(off('Begin as soon as the copy is close enough, whatever the windows and the date say.')),
    postpone: maybe(
      off('Postpone: the cutover waits until it is approved, also when it was approved before.'),
    ),
    accept_set_aside: maybe(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'set_aside.digest of the status: the cutover may begin without these documents. Refused when others are set aside by now.',
      }),
    ),
  },
  { additionalProperties: false },
);
const stepMillis = (description: string) => maybe(count(description));

const attemptOutcomes = ['running', 'put_off', 'undone', 'swapped', 'given_up'] as const;

/** One begin of the cutover, and what became of it. */
export const CutoverAttemptSchema = Type.Object({
  started_millis: integer('epoch ms'),
  outcome: oneOf(
    attemptOutcomes,
    'put_off: nothing was held or blocked, and the replay went on; undone: it took longer than max_pause_ms or aosc.cutover.max_hold, and writes go on',
  ),
  reason: maybe(text('why it did not lead to the swap')),
  write_hold_ms: stepMillis(
    'how long writes waited before the write block, or before the attempt was undone',
  ),
  blocked_ms: stepMillis('how long writes were refused'),
  steps: Type.Object({
    before_block_ms: stepMillis('rounds that ended, and looks before the write hold or the write block'),
    confirm_ms: stepMillis('from the write hold until it is there, or from the write block to its proof'),
    last_rounds_ms: stepMillis('the last round of every shard'),
    checks_ms: stepMillis('counts, the last looks, the write block after a hold, and the swap'),
  }),
});

export type CutoverAttempt = CamelStatic<typeof CutoverAttemptSchema>;

const cutoverStates = [
  'converging',
  'postponed',
  'waiting_for_window',
  'attempting',
  'backing_off',
  'done',
  'given_up',
] as const;

/** How far the cutover is, beside the contract's phases. */
export const CutoverStatusSchema = Type.Object({
  state: oneOf(cutoverStates),
  waits_for: maybe(text('what has to happen before it begins')),
  next_attempt_millis: maybe(
    integer('when a window, the date or the time between attempts allows it next, epoch ms'),
  ),
  predicted_pause_ms: maybe(
    count(
      'how long writes would wait or be refused if it began now, by the latest rounds of the shards and what was measured when the target was last refreshed; absent: not measured yet, or it is over',
    ),
  ),
  order: maybe(CutoverOrderSchema),
  pinned_bytes: maybe(
    count(
      'disk that snapshots keep from being freed while the cutover is postponed, as of a minute ago; absent: unknown',
    ),
  ),
  without_hold: maybe(
    text(
      'why the last attempt has refused writes without holding them first; absent: it has held them, or holds are off',
    ),
  ),
  attempts: maybe(list(CutoverAttemptSchema, 'the last ones; absent: none has begun')),
});
