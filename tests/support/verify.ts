import { createParser, type VerificationAnswer, VerificationAnswerSchema } from '@aosc/contract';
import { sendChecked } from '@aosc/testkit';
import { type Environment, until } from './environment';

const parse = createParser('answer of _verify', VerificationAnswerSchema);

async function ask(
  { apiUrl }: Pick<Environment, 'apiUrl'>,
  source: string,
  method: 'GET' | 'POST',
  repair = false,
): Promise<VerificationAnswer | undefined> {
  const { status, body } = await sendChecked(apiUrl, `/_plugins/_aosc/${source}/_verify`, {
    method,
    ...(method === 'POST' && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ repair }),
    }),
  });
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`${method} _verify: ${status} ${JSON.stringify(body)}`);
  return parse(body);
}

export async function beginVerification(
  environment: Environment,
  source: string,
  repair = false,
): Promise<void> {
  if ((await ask(environment, source, 'POST', repair)) === undefined)
    throw new Error(`no migration of ${source}`);
}

/** The newest; undefined: there is none. */
export const findVerification = (
  environment: Environment,
  source: string,
): Promise<VerificationAnswer | undefined> => ask(environment, source, 'GET');

/** Waits for the end of the verification of a source. @throws with its reason when it has failed */
export async function endOfVerification(
  environment: Environment,
  source: string,
  timeoutMs?: number,
): Promise<VerificationAnswer> {
  let answer: VerificationAnswer | undefined;
  const hasEnded = async () => {
    answer = await findVerification(environment, source);
    return answer !== undefined && answer.state !== 'running';
  };
  await until('the end of the verification', hasEnded, timeoutMs);
  if (answer?.state !== 'done') throw new Error(`verification of ${source}: ${answer?.reason ?? 'none'}`);
  return answer;
}

/** Verifies from beginning to end. */
export async function verify(
  environment: Environment,
  source: string,
  repair = false,
  timeoutMs?: number,
): Promise<VerificationAnswer> {
  await beginVerification(environment, source, repair);
  return endOfVerification(environment, source, timeoutMs);
}
