import { callJson, createHttpClient, type HttpClient, type startMigration } from '@aosc/testkit';
import { source, target } from './cluster';
import { readField, readNumber } from './fields';

/** What a plan has estimated. */
export interface Estimates {
  readonly seconds: number;
  readonly diskBytes: number;
  readonly pauseMs: number;
}

/** Estimates of a plan, divided by what came. */
export type Foreseen = Readonly<Record<keyof Estimates, number>>;

type Request = Omit<Parameters<typeof startMigration>[1], 'source'>;

/** Plans the migration that is going to be measured. @throws Error when the plan has no estimates */
export async function plan(apiUrl: string, request: Request): Promise<Estimates> {
  const api = createHttpClient([apiUrl]);
  const { alias, options, transformScript } = request;
  const body = {
    target_index: target,
    alias,
    ...(options !== undefined && { options }),
    ...(transformScript !== undefined && { transform_script: transformScript }),
  };
  const read = (answer: unknown): Estimates => {
    const value = (name: string) => readNumber(readField(readField(answer, 'estimates'), name), 'value');
    return { seconds: value('seconds'), diskBytes: value('disk_bytes'), pauseMs: value('pause_ms') };
  };
  try {
    return await callJson(api, read, 'POST', `/_plugins/_aosc/${source}/_plan`, body);
  } finally {
    api.close();
  }
}

/** Sets estimates beside what came. The target is refreshed by then. */
export async function compareEstimates(
  http: HttpClient,
  estimates: Estimates,
  came: { readonly backfillMs: number; readonly cutoverMs: number },
): Promise<Foreseen> {
  const read = (answer: unknown): number =>
    readNumber(readField(readField(readField(answer, '_all'), 'primaries'), 'store'), 'size_in_bytes');
  const bytes = await callJson(http, read, 'GET', `/${target}/_stats/store`);
  return {
    seconds: (estimates.seconds * 1_000) / came.backfillMs,
    diskBytes: estimates.diskBytes / bytes,
    pauseMs: estimates.pauseMs / came.cutoverMs,
  };
}
