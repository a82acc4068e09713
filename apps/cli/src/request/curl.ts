import type { FetchInit } from '@aosc/client';
import type { Target } from '../context/choose-target';

/** One word of a POSIX shell. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The request as a command for a shell. Secrets stay in variables, which the user sets. */
export function toCurl(url: string, { method, headers, body }: FetchInit, target: Target): string {
  const { credentials, caFile } = target;
  const secret =
    credentials === undefined
      ? []
      : 'apiKey' in credentials
        ? ['-H "Authorization: ApiKey $AOSC_API_KEY"']
        : ['-u "$AOSC_API_USERNAME:$AOSC_API_PASSWORD"'];
  const shown = Object.entries(headers)
    .filter(([name]) => name === 'content-type')
    .map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  return [
    'curl',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...secret,
    ...(caFile === undefined ? [] : [`--cacert ${quote(caFile)}`]),
    ...shown,
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
    quote(url),
  ].join(' ');
}
