import { sendChecked } from '@aosc/testkit';

/** Checks what the API says of a migration against its OpenAPI document. @throws BrokenPromise when they differ */
export async function checkAnswers(apiUrl: string, source: string): Promise<void> {
  await sendChecked(apiUrl, `/_plugins/_aosc/${encodeURIComponent(source)}/_status`, {});
  await sendChecked(apiUrl, '/_plugins/_aosc/_list', {});
}
