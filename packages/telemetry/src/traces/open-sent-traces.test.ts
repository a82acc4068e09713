import { ExportResultCode } from '@opentelemetry/core';
import {
  AlwaysOffSampler,
  createAlwaysRecordSampler,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { createBoundedSending, createLossReport } from './open-sent-traces';

const limits = { mostWaiting: 20, mostTogether: 10, sendEveryMs: 1_000, closeLimitMs: 2_000 };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function open(send: SpanExporter['export']) {
  const lines: { readonly spans: unknown; readonly reason: unknown }[] = [];
  const losses = createLossReport({
    warn: (_message, fields) => lines.push({ spans: fields?.['spans'], reason: fields?.['reason'] }),
  });
  const exporter: SpanExporter = { export: send, shutdown: () => Promise.resolve() };
  const sending = createBoundedSending(exporter, losses, limits);
  const tracer = new TracerProvider({ spanProcessors: [sending.processor] }).getTracer('test');
  return {
    lines,
    sending,
    end: (spans: number): void => {
      for (let n = 0; n < spans; n += 1) tracer.startSpan('any').end();
    },
  };
}

test('a collector that hangs costs the spans over the bound, which are counted, and no more memory', async () => {
  let asked = 0;
  const { lines, end, sending } = open((spans) => {
    asked += spans.length;
  });
  end(50);
  await jest.advanceTimersByTimeAsync(0);
  end(50);
  expect(asked).toBe(10);
  // 100 spans, of which ten are under way and twenty wait
  await jest.advanceTimersByTimeAsync(60_000);
  expect(lines[0]).toEqual({ spans: 1, reason: 'the collector takes them too slowly' });
  const told = lines.reduce((sum, { spans }) => sum + Number(spans), 0);
  const closed = sending.close();
  await jest.advanceTimersByTimeAsync(limits.closeLimitMs);
  await closed;
  const inAll = lines.reduce((sum, { spans }) => sum + Number(spans), 0);
  expect(told).toBe(70);
  expect(inAll).toBe(100);
});

test('a collector that refuses is logged once a minute, with its status, and the next spans go on', async () => {
  let isDown = true;
  const sent: number[] = [];
  const { lines, end } = open((spans, onResult) => {
    if (isDown)
      onResult({
        code: ExportResultCode.FAILED,
        error: Object.assign(new Error('Unavailable'), { code: 503 }),
      });
    else {
      sent.push(spans.length);
      onResult({ code: ExportResultCode.SUCCESS });
    }
  });
  for (let second = 0; second < 30; second += 1) {
    end(10);
    await jest.advanceTimersByTimeAsync(1_000);
  }
  expect(lines).toEqual([{ spans: 10, reason: '503 Unavailable' }]);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(lines.slice(1)).toEqual([{ spans: 290, reason: '503 Unavailable' }]);
  isDown = false;
  end(3);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(sent).toEqual([3]);
});

test('the end sends what waits', async () => {
  const sent: number[] = [];
  const { lines, end, sending } = open((spans, onResult) => {
    sent.push(spans.length);
    onResult({ code: ExportResultCode.SUCCESS });
  });
  end(5);
  await sending.close();
  end(1);
  expect(sent).toEqual([5]);
  expect(lines).toEqual([]);
});

test('a span that is not sampled is neither sent nor lost', async () => {
  const sent: number[] = [];
  const { lines, sending } = open((spans) => sent.push(spans.length));
  const sampler = createAlwaysRecordSampler(new AlwaysOffSampler());
  const recording = new TracerProvider({ spanProcessors: [sending.processor], sampler });
  recording.getTracer('test').startSpan('any').end();
  await sending.close();
  expect([sent, lines]).toEqual([[], []]);
});
