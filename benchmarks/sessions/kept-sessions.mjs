import { cp, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ringId, writeRing } from '../definitions/ring-workflow.mjs';
import { withHost } from '../servers/with-host.mjs';

/**
 * Creates a state directory with the engine itself. It first writes to memory if the system has `/dev/shm`, which is
 * faster than a disk, and then copies the result.
 *
 * @param {string} wanted a directory that is not there yet
 * @param {(stateDirectory: string) => Promise<void>} make
 * @returns {Promise<string>} the directory
 */
export async function makeState(wanted, make) {
  const draft = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'workflowlookup-bench-'));
  try {
    await make(join(draft, 'state'));
    await cp(join(draft, 'state'), wanted, { recursive: true });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return wanted;
}

const sessionCount = 10_000;
const made = new WeakMap();

/**
 * Returns a state directory with 10,000 sessions, each at its first activity. It is created once for each run.
 *
 * @param {import('../servers/servers.mjs').Bench} bench
 * @returns {Promise<string>}
 */
export function manySessions(bench) {
  const known = made.get(bench) ?? keepMany(bench);
  made.set(bench, known);
  return known;
}

async function keepMany({ scratch }) {
  const definitions = await writeRing(join(scratch, 'many-sessions-definitions'));
  return makeState(join(scratch, 'many-sessions'), (stateDirectory) =>
    withHost({ definitions, stateDirectory, workingDirectory: scratch }, async ({ sessions }) => {
      for (let number = 0; number < sessionCount; number += 1) {
        const { token } = await sessions.start({ agentId: `agent-${number % 7}`, workflowId: ringId });
        await sessions.move(token, {});
      }
    }),
  );
}
