import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { createHttpHandler } from '@workflowlookup/mcp/http';
import { WorkflowError } from '@workflowlookup/schema';
import { expect, test, vi } from 'vitest';
import { startAgent } from '../support/agent.ts';
import type { TestService } from '../support/service.ts';
import { openService, openServiceWith, rpc } from '../support/service.ts';

test('A call that fails because of the database makes the server check it, even if nobody calls /readyz', async () => {
  // Without revoked ids in the database, only the tool uses the database.
  const service = openServiceWith({
    createHandler: ({ revoked: _revoked, ...options }) => createHttpHandler(options),
  });
  const agent = await startAgent(service);
  const file = join(service.state, 'sessions.db');
  renameSync(file, `${file}.away`);
  const { error } = await agent.call('next_activity', { activity_id: 'read-it' });
  expect(error).toMatchObject({ code: -32006 });
  await vi.waitFor(() => expect(errorsOf(service)).toMatchObject([{ event: 'database_failing' }]));
  renameSync(`${file}.away`, file);
});

test('An outage is logged once, even if requests fail before they call a tool', async () => {
  const service = openService();
  await startAgent(service);
  const session = await service.open();
  const file = join(service.state, 'sessions.db');
  renameSync(file, `${file}.away`);
  for (let at = 0; at < 3; at += 1) expect((await service.post(rpc('tools/list'), session)).status).toBe(503);
  await vi.waitFor(() => expect(errorsOf(service)).toHaveLength(1));
  expect((await service.post(rpc('tools/list'), session)).status).toBe(503);
  expect(errorsOf(service)).toMatchObject([{ event: 'database_failing' }]);
  renameSync(`${file}.away`, file);
});

test('A failure of the database is logged if a check finds no outage', async () => {
  const revoked = () => Promise.reject(new WorkflowError('STORE_DAMAGED', 'a broken index'));
  const service = openServiceWith({
    createHandler: (options) => createHttpHandler({ ...options, revoked }),
  });
  const session = await service.open();
  expect((await service.post(rpc('tools/list'), session)).status).toBe(503);
  await vi.waitFor(() =>
    expect(errorsOf(service)).toMatchObject([{ event: 'failure', message: 'a broken index' }]),
  );
});

/** Returns the errors that a server has logged. */
function errorsOf({ logged }: TestService): readonly object[] {
  return logged.map((line) => JSON.parse(line) as { level: string }).filter(({ level }) => level === 'error');
}
