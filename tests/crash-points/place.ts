/** The processes that are killed. */
export type Victim = 'scheduler' | 'worker';

/** A call that changes OpenSearch or Redis, named so that the same call has the same name in every migration. */
export interface ChangingCall {
  /** what is called, and what it touches */
  readonly what: string;
  /** the shard it is about, where the call shows it */
  readonly shard?: number | undefined;
  /** the migration it is about, when that can be told */
  readonly key?: string | undefined;
  /** comes with the clock, in whatever phase that is */
  readonly isPeriodic?: boolean;
  /** over which of the two connections */
  readonly via: 'opensearch' | 'redis';
}

/** How the process dies at a call. */
const moments = [
  /** the call was received and never carried out */
  'before',
  /** it was carried out, and the answer never reached the process */
  'after',
  /** it is carried out when the process that came instead has already gone on */
  'late',
  /** it is carried out when the migration has ended */
  'last',
] as const;
export type Moment = (typeof moments)[number];

/** `scheduler/CUTTING_OVER/PUT _block/write on source` */
export type Place = string;

/**
 * The call at a place, in whatever phase it is made: which calls a process makes is the same in every run, but not
 * which phase they meet, nor which of a shard's fields one write changes.
 */
export function callAt(place: Place): string {
  const [process = '', , ...what] = place.split('/');
  const call = what.join('/');
  const isUpdate = call.startsWith('record of the shard: ') && !call.includes(': to ');
  return `${process}: ${isUpdate ? 'record of the shard' : call}`;
}

export interface Point {
  readonly scenario: string;
  readonly place: Place;
  readonly moment: Moment;
}

export function describePoint({ scenario, place, moment }: Point): string {
  return `${scenario}: ${place} ${moment}`;
}

export function victimOf(place: Place): Victim {
  return place.startsWith('worker/') ? 'worker' : 'scheduler';
}

/**
 * The moments at which a process can die at a place. Commands of Redis never come late: each connection has them in
 * their order, and what a lost lock of a job allows is judged by the records. A refresh that comes late is nothing.
 */
export function momentsAt(place: Place): readonly Moment[] {
  // What a connection waits for changes nothing before it has come.
  if (place.includes('/redis BZPOPMIN')) return ['after'];
  if (place.includes('/redis ')) return ['before', 'after'];
  if (/POST \w+\/_(refresh|flush)$/.test(place)) return ['before', 'after'];
  if (/\/(record|claim|bulk|keep alive)/.test(place)) return ['before', 'after', 'late'];
  return moments;
}
