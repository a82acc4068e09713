import { callJson, type HttpClient } from '@aosc/testkit';
import { type IndexShape, target } from './cluster';
import { readNumber } from './fields';

/** A Painless script that changes documents on their way, for AOSC and for `_reindex` alike. */
export interface Transform {
  readonly source: string;
  readonly params: Readonly<Record<string, string | number>>;
  /** a query that finds documents of the source and none of those that the script has changed */
  readonly untouched: object;
}

/** What is copied, and how it changes. */
export interface CopyTask extends IndexShape {
  readonly transform?: Transform | undefined;
  /** AOSC makes its target of the files of the source */
  readonly byFiles?: boolean;
  /** each migration is verified by content when it has ended, outside of what is measured of it */
  readonly isVerified?: boolean;
}

/** A run whose documents arrive unchanged is no measurement of the script. @throws Error then */
export async function expectTransformed(http: HttpClient, { transform }: CopyTask): Promise<void> {
  if (transform === undefined) return;
  const body = { query: transform.untouched };
  const left = await callJson(
    http,
    (answer) => readNumber(answer, 'count'),
    'POST',
    `/${target}/_count`,
    body,
  );
  if (left > 0) throw new Error(`the script has not changed ${left} documents`);
}
