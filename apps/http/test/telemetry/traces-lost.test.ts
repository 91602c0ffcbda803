import { setTimeout } from 'node:timers/promises';
import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { afterEach, expect, test, vi } from 'vitest';
import { openTelemetry, reportingExporter } from '../../src/telemetry/open-telemetry.ts';
import { openServiceWith } from '../support/service.ts';
import { openReceiver } from '../support/otlp-receiver.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** An address on which no server listens. */
const nowhere = { url: 'http://127.0.0.1:9' };

test.each([
  ['down', () => Promise.resolve(nowhere), [{ level: 'warn', reason: 'no time left' }]],
  ['silent', () => openReceiver('nothing'), [{ level: 'warn', reason: 'no time left' }]],
  ['refusing', () => openReceiver(400), [{ level: 'warn', spans: expect.any(Number), reason: '400' }]],
])('Requests are answered as usual while the receiver of traces is %s', async (_how, open, losses) => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', (await open()).url);
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '1');
  const server = openServiceWith({
    telemetry: (log) => openTelemetry({ version: '1.2.3', database: 'sqlite', log }),
  });
  for (let round = 0; round < 20; round += 1) {
    expect((await server.fetch('/healthz')).status).toBe(200);
    await setTimeout(1);
  }
  await server.service.close();
  const lines = server.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.filter(({ event }) => event === 'traces_lost')).toMatchObject(losses);
  expect(lines.filter(({ event }) => event === 'request')).toHaveLength(20);
  expect(lines).toHaveLength(20 + losses.length);
});

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
