import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { startIssuers } from './access-tokens.ts';
import type { Outcome } from './outcome.ts';
import { rows } from './rows.ts';

beforeAll(startIssuers);

/** The header that must be in the response, for each text that can follow the status in a second cell. */
const promises: Readonly<Record<string, readonly [header: string, value: RegExp]>> = {
  'with a challenge': ['www-authenticate', /^Bearer realm="workflowlookup".*scope="read write"/],
  'with the reason': ['www-authenticate', /error="invalid_token", error_description="[^"]+"/],
  'that names every scope the request needs': [
    'www-authenticate',
    /error="insufficient_scope".*scope="read( write)?"/,
  ],
  'with `Retry-After`': ['retry-after', /^[1-9]\d?$/],
  'and the connection closes': ['connection', /^close$/],
};

/** Matches texts that must not be in any response. */
const secrets = /root:|node_modules|\/src\/|at \w+ \(|wlk_|eyJ/;

/** Parses a second cell. */
function readCell(answered: string): { code: string; header: string; value: RegExp } {
  const [, code = '', promise] = /^(error -\d+|\d+)(?:,? (.+))?$/.exec(answered) ?? [];
  const [header, value] = promise === undefined ? ['', /^$/] : (promises[promise] ?? []);
  if (header === undefined || value === undefined) throw new Error(`no header is known for '${answered}'`);
  return { code, header, value };
}

/** Returns the status of a response in the form of a second cell. */
function codeOf({ status, text }: Outcome): string {
  if (status !== 200) return String(status);
  const code = /"code":(-\d+)/.exec(text)?.[1];
  return code === undefined ? '200' : `error ${code}`;
}

describe.each(rows.map((row) => [row.comes, row.answered, row.cases] as const))(
  '%s',
  (_, answered, cases) => {
    const { code, header, value } = readCell(answered);

    test.each(cases)(`is answered with ${answered}: %s`, async (_what, attempt) => {
      const outcome = await attempt();
      expect(codeOf(outcome), outcome.text).toBe(code);
      expect(header === '' ? '' : outcome.headers.get(header)).toMatch(value);
      expect(outcome.text).not.toMatch(secrets);
    });
  },
);

test('The table in docs/security.md matches this one', () => {
  const page = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8');
  const [, table = ''] = /^\| request .*\n\| -.*\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const lines = table.trim().split('\n');
  const cells = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  expect(cells).toEqual(rows.map(({ comes, answered }) => ['', comes, answered, '']));
});
