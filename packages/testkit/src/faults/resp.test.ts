import { createRespReader } from './resp';

const messages = [
  '*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\na\r\nb\r\n',
  '+OK\r\n',
  '-ERR no\r\n',
  ':12\r\n',
  '$-1\r\n',
  '*-1\r\n',
  '*0\r\n',
  '$0\r\n\r\n',
  '%2\r\n+a\r\n:1\r\n$1\r\nb\r\n*1\r\n_\r\n',
  '>2\r\n+message\r\n#t\r\n',
  '~2\r\n,1.5\r\n(123\r\n',
  '=7\r\ntxt:a\r\n\r\n',
  '!5\r\nERR x\r\n',
  '*3\r\n$1\r\na\r\n*2\r\n:1\r\n$1\r\nb\r\n$-1\r\n',
];

test.each([1, 2, 3, 7, 1000])('finds each message in pieces of %i bytes, and keeps its bytes', (size) => {
  const reader = createRespReader();
  const all = Buffer.from(messages.join(''));
  const found: string[] = [];
  for (let at = 0; at < all.length; at += size) {
    for (const { bytes } of reader.take(all.subarray(at, at + size))) found.push(bytes.toString());
  }
  expect(found).toEqual(messages);
});

test('gives the words of a command, whatever bytes are in them', () => {
  const [command] = createRespReader().take(Buffer.from('*2\r\n$3\r\nGET\r\n$6\r\n\r\n*9\r\n\r\n'));
  expect(command?.words.map(String)).toEqual(['GET', '\r\n*9\r\n']);
});

test('refuses what is not of this protocol', () => {
  expect(() => createRespReader().take(Buffer.from('?2\r\n'))).toThrow('not a message of Redis');
  expect(() => createRespReader().take(Buffer.from('*x\r\n'))).toThrow('not a message of Redis');
});
