import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startAgent } from '../support/agent.ts';
import { openService } from '../support/service.ts';

test('A call that fails because of the database makes the server check it, even if nobody calls /readyz', async () => {
  const service = openService();
  const agent = await startAgent(service);
  const file = join(service.state, 'sessions.db');
  renameSync(file, `${file}.away`);
  const { error } = await agent.call('next_activity', { activity_id: 'read-it' });
  expect(error).toMatchObject({ code: -32006 });
  const failureLines = (): readonly string[] =>
    service.logged.filter((line) => line.includes('"database_failing"'));
  await vi.waitFor(() => expect(failureLines()).toHaveLength(1));
  renameSync(`${file}.away`, file);
});
