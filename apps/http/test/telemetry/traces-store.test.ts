import { AsyncResource } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@workflowlookup/host';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openTelemetry } from '../../src/telemetry/open-telemetry.ts';
import type { Telemetry } from '../../src/telemetry/open-telemetry.ts';
import { openReceiver } from '../support/otlp-receiver.ts';

let stateDirectory: string;

beforeEach(() => {
  stateDirectory = mkdtempSync(join(tmpdir(), 'workflowlookup-http-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(stateDirectory, { recursive: true, force: true });
});

/**
 * Does this work in a request, and the function that it returns after the request. Returns the names of the sent spans.
 */
async function spansOf(
  work: (telemetry: Telemetry) => Promise<() => Promise<void>>,
): Promise<readonly string[]> {
  const receiver = await openReceiver();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.url);
  const telemetry = openTelemetry({ version: '1.2.3', database: 'sqlite', log: () => undefined });
  const url = new URL('http://127.0.0.1/readyz');
  const request = { method: 'GET', route: '/readyz', url, isKnownHost: true, headers: new Headers() };
  let after: (() => Promise<void>) | undefined;
  await telemetry.aroundRequest(request, async () => {
    after = await work(telemetry);
    return new Response();
  });
  await after?.();
  await telemetry.close();
  return receiver.spans.map(({ name }) => name);
}

describe('a use of the database', () => {
  test('belongs to no trace after its request has ended, or outside of any request', async () => {
    const names = await spansOf(async ({ wrapStore }) => {
      const host = createHost({ stateDirectory, wrapStore });
      await host.operator.counts();
      const later = AsyncResource.bind(() => host.operator.find({}));
      return async () => {
        expect(await later()).toEqual({ sessions: [] });
        await host.close();
      };
    });
    expect(names).toEqual(['counts sessions', 'GET /readyz']);
  });

  test('belongs to the trace for the parts of a store too, except synchronous methods', async () => {
    const names = await spansOf(async ({ wrapStore }) => {
      const host = createHost({
        stateDirectory,
        wrapStore(store) {
          const more = { watch: () => 'watching', side: { look: () => Promise.resolve('seen') }, size: 7 };
          const { watch, side, size } = wrapStore({ ...store, ...more });
          expect([watch(), size]).toEqual(['watching', 7]);
          void side.look();
          return store;
        },
      });
      await host.operator.counts();
      return () => host.close();
    });
    expect(names).toEqual(['look side', 'GET /readyz']);
  });
});
