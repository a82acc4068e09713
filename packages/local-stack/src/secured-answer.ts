import { request } from 'node:https';
import { adminUser, type Security } from './security-config';

/** Whether GET `url` is answered with a 2xx status to {@link adminUser}; no answer is a no. */
export function answersOkSecured(
  url: string,
  { certificate }: Security,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const auth = `${adminUser.name}:${adminUser.password}`;
    const sent = request(url, { ca: certificate, auth, signal, agent: false }, (answer) => {
      const { statusCode = 0 } = answer;
      answer.resume();
      resolve(statusCode >= 200 && statusCode < 300);
    });
    sent.on('error', () => resolve(false));
    sent.end();
  });
}
