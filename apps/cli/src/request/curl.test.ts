import { execFileSync } from 'node:child_process';
import { quote, toCurl } from './curl';
import { showRequest } from './show-request';

const target = { url: 'http://127.0.0.1:9650', allowPlainCredentials: false };

test.each(['plain', "it's", '$HOME `x` "y" \\', 'a b\nc', '', '{"a":1}'])(
  'a shell reads %j as it was',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${quote(text)}`], { encoding: 'utf8' })).toBe(text);
  },
);

test('a start, with its secret in a variable', async () => {
  const secured = { ...target, credentials: { apiKey: 'top-secret' }, caFile: '/ca file.pem' };
  const shown = await showRequest(secured, (client) =>
    client.start('a/b', { target_index: 'b', alias: "o'k" }),
  );
  expect(shown).toBe(
    `curl -X POST -H "Authorization: ApiKey $AOSC_API_KEY" --cacert '/ca file.pem' -H 'content-type: application/json' ` +
      `-d '{"target_index":"b","alias":"o'\\''k"}' http://127.0.0.1:9650/_plugins/_aosc/a%2Fb/_start`,
  );
});

test('user and password are in variables as well, and in no header', async () => {
  const secured = { ...target, credentials: { username: 'me', password: 'top-secret' } };
  const shown = await showRequest(secured, (client) => client.list({ size: 3 }));
  expect(shown).toBe(
    `curl -u "$AOSC_API_USERNAME:$AOSC_API_PASSWORD" 'http://127.0.0.1:9650/_plugins/_aosc/_list?size=3'`,
  );
});

test('no other header is shown', () => {
  const init = {
    method: 'GET',
    headers: { authorization: 'x', accept: 'y' },
    signal: new AbortController().signal,
    redirect: 'error',
  } as const;
  expect(toCurl('http://a/', init, target)).toBe('curl http://a/');
});
