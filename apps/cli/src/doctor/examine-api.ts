import { type AoscClient, ApiError } from '@aosc/client';
import type { Session } from '../session';
import {
  fail,
  type Finding,
  type Judgement,
  judgeRoundTrip,
  look,
  ok,
  type Planned,
  skipped,
  warn,
} from './finding';

const samples = 5;
const adviceAway =
  'Start the API, or give its address: --url, AOSC_API_URL, or a context. With a private authority: --ca, AOSC_API_CA.';

const adviceSlow = 'The API is far from here, or busy. Migrations are not slower for the first.';

const advicePlan = 'Read the message, check the names that you gave, and run doctor again.';

/** The API as it answers from here: does it work, which credentials does it see, how far away is it? And its plan. */
export async function examineApi(session: Session, planned: Planned): Promise<readonly Finding[]> {
  const { signal } = session.shell;
  const client = await session.client('short');
  const { url } = session.target();
  const seen = { isAnswer: false };
  const readiness = await look('api', 'readiness', adviceAway, async () => {
    const { ok: isReady, checks } = await client.readiness({ signal });
    seen.isAnswer = true;
    if (isReady) return ok(`${url} is ready`);
    return checks
      .filter((check) => !check.ok)
      .map(({ name, reason }) =>
        fail(`${name}: ${reason ?? 'not ready'}`, 'Look at what it names, and at the log of the API.'),
      );
  });
  if (!seen.isAnswer) return readiness;
  return [
    ...readiness,
    ...(await look('api', 'credentials', adviceAway, () => examineRole(client, signal))),
    ...(await look('api', 'round trip', adviceAway, async () =>
      judgeRoundTrip(await measure(client, signal), adviceSlow),
    )),
    ...(await look('api', 'plan', advicePlan, () => examinePlan(client, planned, signal))),
  ];
}

/** What a start of these names would meet. */
async function examinePlan(
  client: AoscClient,
  { source, target, alias }: Planned,
  signal: AbortSignal,
): Promise<Judgement | readonly Judgement[]> {
  if (source === undefined || target === undefined || alias === undefined)
    return skipped('give --source, --target and --alias to have a planned migration checked');
  const { checks } = await client.plan(source, { target_index: target, alias }, { signal });
  const found = checks.filter(({ verdict }) => verdict !== 'ok');
  if (found.length === 0) return ok(`nothing is in the way of ${source} -> ${target}`);
  return found.map(({ id, verdict, evidence, remedy = '' }) =>
    (verdict === 'refuse' ? fail : warn)(`${id}: ${evidence}`, remedy),
  );
}

async function measure(client: AoscClient, signal: AbortSignal): Promise<readonly number[]> {
  const times: number[] = [];
  for (let n = 0; n < samples; n++) {
    const start = performance.now();
    await client.list({ size: 1, signal });
    times.push(performance.now() - start);
  }
  return times;
}

/** Finds out what the caller may do by requests that change nothing. */
async function examineRole(client: AoscClient, signal: AbortSignal) {
  try {
    await client.list({ size: 1, signal });
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) throw error;
    return fail(
      error.reason,
      'Give an API key, or user and password: AOSC_API_KEY, or a context of the configuration file.',
    );
  }
  try {
    await client.cleanupLeases({ index: 'aosc-doctor-asks-for-none', signal });
    return ok('may do everything (admin)');
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    return warn(
      'does not have the role admin',
      'For `settings set`, `leases` and `clear-state` use credentials with the role admin.',
    );
  }
}
