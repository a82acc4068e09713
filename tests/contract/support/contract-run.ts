import { callJson, sendChecked } from '@aosc/testkit';
import { borrowEnvironment } from '../../support/environment';
import { makeSamples, type Samples } from './samples';
import type { CallApi, CallCluster, Workshop } from './workshop';

/** The whole service on real servers, for every row of the contract. */
export interface ContractRun extends Workshop {
  /** migrations that have ended, and what was seen of them on their way */
  readonly samples: Samples;
}

/** Shows one line of the contract. */
export type Row = (run: ContractRun) => void | Promise<void>;
/** Rows by their ids. */
export type Rows = Readonly<Record<string, Row>>;

export async function startContractRun(): Promise<ContractRun> {
  // A test asks faster than any user.
  const environment = await borrowEnvironment({ env: { AOSC_API_RATE_PER_SECOND: '0' } });
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
