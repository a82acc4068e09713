import { createHash } from 'node:crypto';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import { openSentTraces } from './open-sent-traces';
import { identifyMigration } from './trace-identity';
import { openTraces } from './open-traces';
import { noTraces, type TracedRecord, type Traces } from './traces';

const record = {
  migrationId: 'orders__orders-2__1700000000000',
  sourceIndex: 'orders',
  targetIndex: 'orders-2',
  alias: 'orders-alias',
  phase: 'ACTIVE',
  startTimeMillis: 1_700_000_000_000,
  transitionHistory: [{ phase: 'ACTIVE', startTimeMillis: 1_700_000_000_000 }],
} satisfies TracedRecord;
const job = { name: 'job backfill', opaqueId: 'aosc-worker-k-0-backfill', fields: { shard: 0 } };
const logger = { error: noop, warn: noop, info: noop, debug: noop, child: () => logger };
function noop(): void {
  return undefined;
}

interface Opened {
  readonly traces: Traces;
  /** closes the traces, and returns what was sent */
  readonly sent: () => Promise<readonly ReadableSpan[]>;
}

function open(sampleRatio = 1): Opened {
  const spans: ReadableSpan[] = [];
  const exporter: SpanExporter = {
    export(batch, onResult) {
      spans.push(...batch);
      onResult({ code: ExportResultCode.SUCCESS });
    },
    shutdown: () => Promise.resolve(),
  };
  const traces = openSentTraces(
    'worker',
    { tracesUrl: 'http://unused', tracesSampleRatio: sampleRatio },
    logger,
    exporter,
  );
  return {
    traces,
    sent: async () => {
      await traces.close();
      return spans;
    },
  };
}

function named(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const found = spans.filter((span) => span.name === name);
  if (found[0] === undefined || found.length > 1) throw new Error(`${found.length} spans called ${name}`);
  return found[0];
}

const ask = (traces: Traces) => traces.beginRequest('POST', () => '/{index}/_bulk');

test('without a collector there are no spans and no headers', async () => {
  const traces = await openTraces('api', { tracesUrl: '', tracesSampleRatio: 1 }, logger);
  expect(traces).toBe(noTraces);
  expect(await traces.work(job, record, () => Promise.resolve(ask(traces)))).toBeUndefined();
});

test('the trace of a migration is the beginning of its SHA-256, in every process', () => {
  const digest = createHash('sha256').update(record.migrationId).digest('hex');
  expect(identifyMigration(record.migrationId)).toEqual({
    traceId: digest.slice(0, 32),
    spanId: digest.slice(32, 48),
  });
});

test('a job is a trace of its own, linked to its migration, and its requests are in it', async () => {
  const { traces, sent } = open();
  let traceparent = '';
  await traces.work(
    job,
    record,
    async () => {
      await Promise.resolve();
      const request = ask(traces);
      traceparent = request?.traceparent ?? '';
      expect(request?.opaqueId).toBe(job.opaqueId);
      request?.end({ status: 200, server: { host: 'node-1', port: 9200 } });
    },
    () => ({ outcome: 'done' }),
  );
  const spans = await sent();
  const [work, request] = [named(spans, 'job backfill'), named(spans, 'POST /{index}/_bulk')];
  expect(work.links.map(({ context }) => context)).toEqual([
    expect.objectContaining(identifyMigration(record.migrationId)),
  ]);
  expect(work.spanContext().traceId).not.toBe(identifyMigration(record.migrationId).traceId);
  expect(work.attributes).toMatchObject({
    'aosc.migration_id': record.migrationId,
    'aosc.source_index': 'orders',
    'aosc.shard': 0,
    'aosc.outcome': 'done',
    'aosc.requests': 1,
    'aosc.requests_failed': 0,
  });
  const { traceId, spanId } = request.spanContext();
  expect(request.kind).toBe(SpanKind.CLIENT);
  expect(request.parentSpanContext).toEqual(work.spanContext());
  expect(traceparent).toBe(`00-${traceId}-${spanId}-01`);
  expect(request.attributes).toEqual({
    'http.request.method': 'POST',
    'url.template': '/{index}/_bulk',
    'db.system.name': 'opensearch',
    'http.response.status_code': 200,
    'server.address': 'node-1',
    'server.port': 9200,
  });
});

test('a failure is marked by a word: its message, which may quote a document, is nowhere', async () => {
  const { traces, sent } = open();
  const failure = Object.assign(new Error('failed to parse: secret'), { kind: 'fatal' });
  await expect(
    traces.work(job, record, () =>
      traces.inSpan('round', {}, async () => {
        await Promise.resolve();
        ask(traces)?.end({ failure: 'transient' });
        ask(traces)?.end({ status: 404 });
        throw failure;
      }),
    ),
  ).rejects.toBe(failure);
  const spans = await sent();
  for (const name of ['job backfill', 'round']) {
    expect(named(spans, name).status).toEqual({ code: SpanStatusCode.ERROR });
    expect(named(spans, name).attributes).toMatchObject({ 'error.type': 'fatal' });
  }
  expect(named(spans, 'job backfill').attributes).toMatchObject({ 'aosc.requests_failed': 1 });
  const shown = spans.map(({ attributes, events, status }) => ({ attributes, events, status }));
  expect(JSON.stringify(shown)).not.toContain('secret');
});

test('what outlives its span belongs to the one around it, and then to none', async () => {
  const { traces, sent } = open();
  let askLater: () => void = noop;
  const waits = new Promise<void>((resolve) => (askLater = resolve));
  const answers: Promise<string | undefined>[] = [];
  await traces.work(job, record, async () => {
    await traces.inSpan('round', {}, () => {
      answers.push(waits.then(() => ask(traces)?.traceparent));
      return Promise.resolve();
    });
    const request = ask(traces);
    request?.end({ status: 200 });
  });
  askLater();
  expect(await Promise.all(answers)).toEqual([undefined]);
  const spans = await sent();
  expect(named(spans, 'POST /{index}/_bulk').parentSpanContext).toEqual(
    named(spans, 'job backfill').spanContext(),
  );
});

test('a backfill of many bulks has a bound for its spans; the rest bears the name of the job', async () => {
  const { traces, sent } = open();
  let last: string | undefined;
  await traces.work(job, record, async () => {
    for (let n = 0; n < 1_500; n += 1) {
      await Promise.resolve();
      const request = ask(traces);
      last = request?.traceparent;
      request?.end({ status: 200 });
    }
  });
  const spans = await sent();
  const work = named(spans, 'job backfill');
  expect(spans.length).toBe(1_001);
  expect(work.attributes).toMatchObject({ 'aosc.requests': 1_500, 'aosc.spans_left_out': 500 });
  expect(last).toBe(`00-${work.spanContext().traceId}-${work.spanContext().spanId}-01`);
});

test('what several have asked for is nobodys work, and what one has asked for is its own', async () => {
  const { traces, sent } = open();
  const remembered: unknown[] = [];
  let shared: string | undefined;
  let own: string | undefined;
  await traces.work(job, record, async () => {
    remembered.push(traces.remember());
    await traces.work({ ...job, name: 'job replay' }, record, () => {
      remembered.push(traces.remember());
      shared = traces.runFor(remembered, () => ask(traces)?.traceparent);
      own = traces.runFor(remembered.slice(0, 1), () => ask(traces)?.traceparent);
      return Promise.resolve();
    });
  });
  const spans = await sent();
  expect(shared).toBeUndefined();
  expect(own).toContain(named(spans, 'job backfill').spanContext().traceId);
});

test('a share of 0 sends no job, and its requests say so; the trace of the migration is sent', async () => {
  const { traces, sent } = open(0);
  const header = await traces.work(job, record, () => Promise.resolve(ask(traces)?.traceparent));
  expect(header).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  traces.moved(record, inPhase('PREPARING_TARGET', 5_000));
  expect((await sent()).map(({ name }) => name)).toEqual(['phase ACTIVE']);
});

function inPhase(phase: string, afterMs: number, isEnd = false): TracedRecord {
  const at = record.startTimeMillis + afterMs;
  return {
    ...record,
    phase,
    transitionHistory: [
      ...record.transitionHistory.map((entry) => ({ ...entry, endTimeMillis: at })),
      { phase, startTimeMillis: at, ...(isEnd && { endTimeMillis: at }) },
    ],
  };
}

test('phases get their spans from the process that writes their end, and the end of all gives the first span', async () => {
  const [first, second] = [open(), open()];
  const active = inPhase('PREPARING_TARGET', 5_000);
  first.traces.moved(record, active);
  // another process, which only knows the record
  second.traces.moved(active, inPhase('FAILED', 9_000, true));
  const [ended, later] = [await first.sent(), await second.sent()];
  const root = named(later, 'migration');
  expect(root.spanContext()).toMatchObject(identifyMigration(record.migrationId));
  expect(root.parentSpanContext).toBeUndefined();
  expect([root.startTime, root.endTime]).toEqual([
    [1_700_000_000, 0],
    [1_700_000_009, 0],
  ]);
  expect(root.status).toEqual({ code: SpanStatusCode.ERROR });
  for (const span of [named(ended, 'phase ACTIVE'), named(later, 'phase PREPARING_TARGET')]) {
    expect(span.parentSpanContext).toMatchObject(identifyMigration(record.migrationId));
    expect(span.spanContext().traceId).toBe(root.spanContext().traceId);
  }
  expect(named(ended, 'phase ACTIVE').endTime).toEqual([1_700_000_005, 0]);
});

test('a start is in the trace of its caller, and the migration is linked with it', async () => {
  const { traces, sent } = open();
  const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
  await traces.start(`00-${caller.traceId}-${caller.spanId}-01`, () => Promise.resolve(record));
  const spans = await sent();
  const [start, accepted] = [named(spans, 'start migration'), named(spans, 'start accepted')];
  expect(start.parentSpanContext).toMatchObject(caller);
  expect(start.links[0]?.context).toMatchObject(identifyMigration(record.migrationId));
  expect(accepted.parentSpanContext).toMatchObject(identifyMigration(record.migrationId));
  expect(accepted.links[0]?.context).toEqual(start.spanContext());
});

test.each([undefined, ['00'], 'x', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`])(
  'a start whose caller sends %j as traceparent is a trace of its own',
  async (traceparent) => {
    const { traces, sent } = open();
    await traces.start(traceparent, () => Promise.resolve(record));
    expect(named(await sent(), 'start migration').parentSpanContext).toBeUndefined();
  },
);
