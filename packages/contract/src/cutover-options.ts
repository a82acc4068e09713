import { type Static, Type } from '@sinclair/typebox';

/** When a cutover may begin. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

const maxWindows = 20;

export const CutoverWindowSchema = Type.Object(
  {
    days: Type.Optional(
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
    time_zone: Type.Optional(
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
  cutover: Type.Optional(
    Type.Unsafe<'automatic' | 'manual'>({
      type: 'string',
      enum: ['automatic', 'manual'],
      description:
        'manual: the cutover waits until it is approved (_cutover), while the copy stays close to its source. Default: automatic.',
    }),
  ),
  cutover_not_before: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'The cutover does not begin earlier: a date and time like 2026-11-28T02:00:00+01:00.',
    }),
  ),
  cutover_windows: Type.Optional(
    Type.Unsafe<readonly CutoverWindow[]>({
      type: 'array',
      items: CutoverWindowSchema,
      minItems: 1,
      maxItems: maxWindows,
      description: 'The cutover begins inside one of these only. Default: at any time.',
    }),
  ),
};

const cutoverOrders = ['approved', 'forced', 'postponed'] as const;

/** The last word of an operator about the moment of the cutover. */
export const CutoverOrderSchema = Type.Object({
  type: Type.Unsafe<(typeof cutoverOrders)[number]>({ type: 'string', enum: [...cutoverOrders] }),
  at_millis: Type.Integer({ description: 'epoch ms' }),
  by: Type.Optional(
    Type.String({ description: 'kind and name of the credential; absent: the API asked for none' }),
  ),
});

/** The body of `_cutover`. */
export const CutoverRequestSchema = Type.Object(
  {
    force: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Begin as soon as the copy is close enough, whatever the windows and the date say.',
      }),
    ),
    postpone: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Take an approval back: the cutover waits until it is approved.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type CutoverRequest = Readonly<Static<typeof CutoverRequestSchema>>;

const cutoverStates = ['converging', 'postponed', 'waiting_for_window', 'attempting', 'done'] as const;
export type CutoverState = (typeof cutoverStates)[number];

/** How far the cutover is, beside the contract's phases. */
export const CutoverStatusSchema = Type.Object({
  state: Type.Unsafe<CutoverState>({ type: 'string', enum: [...cutoverStates] }),
  waits_for: Type.Optional(Type.String({ description: 'what has to happen before it begins' })),
  next_attempt_millis: Type.Optional(
    Type.Integer({ description: 'when a window or the date allows it next, epoch ms' }),
  ),
  order: Type.Optional(CutoverOrderSchema),
});
