import { callJson, sendChecked } from '@aosc/testkit';
import { type Environment, startEnvironment } from '../../support/environment';
import { makeSamples, type Samples } from './samples';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The whole service on real servers, for every row of the contract. */
export interface ContractRun {
  readonly environment: Environment;
  /** migrations that have ended, and what was seen of them on their way */
  readonly samples: Samples;
  /** JSON to the API; every answer is held to the OpenAPI document */
  readonly api: CallApi;
  /** JSON to OpenSearch; fails unless it answers 2xx */
  readonly cluster: CallCluster;
}

export type CallApi = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) => Promise<Answer>;
export type CallCluster = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<unknown>;

/** Shows one line of the contract. */
export type Row = (run: ContractRun) => void | Promise<void>;
/** Rows by their ids. */
export type Rows = Readonly<Record<string, Row>>;

/** Path of an endpoint of one index. */
export const pathOf = (index: string, action: '_start' | '_status' | '_cancel'): string =>
  `/_plugins/_aosc/${encodeURIComponent(index)}/${action}`;

export async function startContractRun(): Promise<ContractRun> {
  // A test asks faster than any user.
  const environment = await startEnvironment({ env: { AOSC_API_RATE_PER_SECOND: '0' } });
  const api: CallApi = async (method, path, body) => {
    const { status, body: answered } = await sendChecked(environment.apiUrl, path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status, body: answered };
  };
  const cluster: CallCluster = (method, path, body) =>
    callJson(environment.http, (answer) => answer, method, path, body);
  try {
    const samples = await environment.keepingLogs(() => makeSamples({ environment, api, cluster }));
    return { environment, samples, api, cluster };
  } catch (error) {
    await environment.stop();
    throw error;
  }
}
