import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { reportingExporter } from '../../src/telemetry/open-telemetry.ts';

test('Lost spans are reported once a minute, with only a code', () => {
  const logged: unknown[] = [];
  let nowMs = 0;
  const error = Object.assign(new Error('connect to user:password@collector'), { code: 'ECONNREFUSED' });
  let result: Parameters<Parameters<SpanExporter['export']>[1]>[0] = { code: ExportResultCode.FAILED, error };
  const inner: SpanExporter = {
    export: (_spans, done) => done(result),
    shutdown: () => Promise.resolve(),
  };
  const exporter = reportingExporter(
    inner,
    (...line) => logged.push(line),
    () => nowMs,
  );
  const send = (spans: number): void => exporter.export(Array<ReadableSpan>(spans), () => undefined);
  send(1);
  send(2);
  nowMs = 59_999;
  send(3);
  nowMs = 60_000;
  send(4);
  nowMs = 200_000;
  result = { code: ExportResultCode.SUCCESS };
  send(5);
  expect(logged).toEqual([
    ['warn', 'traces_lost', { spans: 1, reason: 'ECONNREFUSED' }],
    ['warn', 'traces_lost', { spans: 9, reason: 'ECONNREFUSED' }],
  ]);
});
