import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { openTelemetry } from '../../src/telemetry/open-telemetry.ts';
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
