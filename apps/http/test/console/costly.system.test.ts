import type { Judged } from '@workflowlookup/console/contract';
import { expect, test } from 'vitest';
import { openService } from '../support/service.ts';
import type { Browser } from '../support/browser.ts';
import { openKeyBrowser } from '../support/browser.ts';

/** Opens a browser that is signed in with a key that has only the scope `read`. */
async function openReader(): Promise<Browser> {
  const service = openService('--auth', 'keys');
  return openKeyBrowser(service, await service.key({ principal: 'team-a', scopes: ['read'] }));
}

/** Returns criteria with JSON Schemas, each of which is small enough to be accepted alone. */
function schemas(count: number): readonly object[] {
  return Array.from({ length: count }, (_, at) => ({
    type: 'schema',
    schema: {
      properties: Object.fromEntries(
        Array.from({ length: 40 }, (__, n) => [`p${at}-${n}`, { minLength: n }]),
      ),
    },
  }));
}

async function refusal(response: Response): Promise<unknown> {
  const { code, data } = (await response.json()) as { readonly code: string; readonly data?: object };
  return { status: response.status, code, data };
}

/** Returns criteria with regular expressions that contain large character classes. */
function patterns(count: number): readonly object[] {
  return Array.from({ length: count }, (_, at) => ({
    type: 'regex',
    pattern: `${'\\pL|'.repeat(800)}${at}`,
  }));
}

test('Criteria that are too expensive to compile are refused, and others are checked', async () => {
  const reader = await openReader();
  // The data are not compared, because a slow machine exceeds the time limit before it exceeds the budget.
  expect(
    await refusal(await reader.send('POST', '/judge', { output: '{}', criteria: patterns(200) })),
  ).toMatchObject({ status: 422, code: 'TOO_COSTLY' });
  const response = await reader.send('POST', '/judge', { output: '{}', criteria: schemas(2) });
  expect(((await response.json()) as Judged).verdict.valid).toBe(true);
});

test('A body that is larger than a definition, or has more values, is refused without parsing', async () => {
  const reader = await openReader();
  expect(
    await refusal(await reader.send('POST', '/judge', { output: 'a'.repeat(2_100_000), criteria: 'a' })),
  ).toEqual({
    status: 413,
    code: 'INVALID_INPUT',
    data: { maxBytes: 2_097_152 },
  });
  const criteria = Array.from({ length: 200_000 }, () => 1);
  expect(await refusal(await reader.send('POST', '/judge', { output: 'a', criteria }))).toEqual({
    status: 422,
    code: 'TOO_COSTLY',
    data: { max_values: 20_000 },
  });
});

test('A body that is nested too deeply is refused before it reaches the validation', async () => {
  const reader = await openReader();
  const criteria: unknown[] = [];
  let inner = criteria;
  for (let level = 0; level < 400; level += 1) {
    const next: unknown[] = [];
    inner.push(next);
    inner = next;
  }
  expect(await refusal(await reader.send('POST', '/judge', { output: 'a', criteria }))).toMatchObject({
    status: 400,
    code: 'INVALID_INPUT',
  });
});
