import { PassThrough } from 'node:stream';
import { createLogger, type LoggerOptions } from './logger';

function createSink(options: Partial<LoggerOptions> = {}) {
  const stream = new PassThrough();
  const logger = createLogger({ app: 'worker', level: 'info', stream, ...options });
  const lines = () =>
    String(stream.read() ?? '')
      .trimEnd()
      .split('\n');
  return { logger, lines };
}

test('one JSON object per line, with the context of all parents', () => {
  const { logger, lines } = createSink();
  const shard = logger.child({ migration: 'abc', role: 'shard_worker' }).child({ shard: 3 });
  shard.info('round done', { event: 'round_complete', phase: 'CONVERGING', gap: 12 });
  expect(lines().map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      level: 'info',
      message: 'round done',
      app: 'worker',
      migration: 'abc',
      role: 'shard_worker',
      shard: 3,
      event: 'round_complete',
      phase: 'CONVERGING',
      gap: 12,
    },
  ]);
});

test('credentials are gone from message, fields and errors', () => {
  const { logger, lines } = createSink();
  const cause = new Error('http://admin:s3cret@node refused');
  logger.error('no answer from http://admin:s3cret@node', {
    error: new Error('failed', { cause }),
    headers: { authorization: 's3cret' },
  });
  const [line] = lines();
  expect(line).not.toContain('s3cret');
  expect(line).toContain('http://***@node refused');
});

test.each([false, true])(
  'what hides text, turns its direction or moves the cursor is escaped; readable: %s',
  (readable) => {
    const { logger, lines } = createSink({ readable });
    const text = 'a\u202eb\u009b2Jc\u2028d\u{e0041}e\u007f';
    logger.info(text, { path: text, error: new Error(`f\u001b[2Jg`) });
    const written = lines().join('\n');
    expect(written).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\u2028]/u);
    expect(written).toContain('a\\u202eb\\u009b2Jc\\u2028d\\udb40\\udc41e\\u007f');
    if (!readable) expect(JSON.parse(written)).toMatchObject({ message: text, path: text });
  },
);

test('at a terminal a text makes no line of its own', () => {
  const { logger, lines } = createSink({ readable: true });
  logger.info('name\n12:00:00.000 INFO api forged');
  expect(lines()).toHaveLength(1);
});

test('lines below the level are not written', () => {
  const { logger, lines } = createSink({ level: 'warn' });
  logger.info('quiet');
  logger.debug('quiet');
  logger.warn('loud');
  expect(lines()).toEqual([expect.stringContaining('"message":"loud"')]);
});

test('at a terminal a line is for people: level, place, message, fields, chain of causes', () => {
  const { logger, lines } = createSink({ readable: true });
  logger.child({ migration: 'abc', shard: 0 }).warn('bulk refused', {
    event: 'overload',
    pauseMs: 20,
    error: new Error('a', { cause: new Error('b') }),
  });
  const text = lines().join('\n');
  expect(text).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} WARN {2}worker \[abc shard 0\] bulk refused \(overload\) pauseMs=20/,
  );
  expect(text).toContain('Error: a');
  expect(text).toContain('caused by Error: b');
  expect(text).not.toContain('{');
});
