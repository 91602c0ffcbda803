import { statSync } from 'node:fs';
import { join } from 'node:path';
import { bundledWalks, lengthened } from '../sessions/bundled-walks.mjs';
import { makeLongSession } from '../sessions/long-journal.mjs';
import { compare } from '../figures/result.mjs';
import { writeRing } from '../definitions/ring-workflow.mjs';
import { startBundled } from '../servers/servers.mjs';
import { askingNobody, withPerson } from '../sessions/session-person.mjs';
import { repeatWalk, walkSession } from '../sessions/session-walk.mjs';

export const name = 'stored-bytes';

const sessionCount = 20;
const walkId = 'dependency-upgrade';

/** A sentence of 85 characters that lengthens the outputs of an agent. */
const sentence = ' It was looked at in full, with the command, its exit code and the line that shows it.';

/**
 * Compares the size of a session in the database with the outputs that agents submitted, and measures the size per
 * event.
 */
export async function run(bench) {
  const walk = (await bundledWalks()).find(({ id }) => id === walkId);
  return [
    await sessionRow(bench, walk, { kilobytes: 0.5, atMost: 1.5 }),
    await sessionRow(bench, walk, { kilobytes: 2 }),
    await eventRow(bench),
  ];
}

async function sessionRow(bench, walk, { kilobytes, atMost }) {
  const more = sentence.repeat(Math.round((kilobytes * 1000) / sentence.length));
  const { stored, payload, calls } = await measure(bench, `${name}-${kilobytes}`, {
    ...walk,
    outputOf: (step, visit) => lengthened(walk.outputOf(step, visit), more),
  });
  return compare(`session, outputs of ${kilobytes} kB`, {
    unit: 'bytes',
    ours: [stored],
    baseline: [payload],
    atMost,
    note: `growth of the database for each session of ${walkId} with ${calls} calls; the baseline is the arguments of the calls`,
  });
}

async function measure(bench, directory, walk) {
  const walked = await withSessions(bench, `${directory}-draft`, (server, beside) =>
    walkSession(server, beside, walk),
  );
  const stateDirectory = `${directory}-repeated`;
  const sizes = [];
  for (const count of [1, sessionCount]) {
    await withSessions(bench, stateDirectory, async (server, beside) => {
      for (let number = 0; number < count; number += 1) await repeatWalk(server, beside, walked);
    });
    // The server and the host are closed, so all delayed writes are in the file.
    sizes.push(sizeOf(join(bench.scratch, stateDirectory)));
  }
  return {
    stored: Math.round((sizes[1] - sizes[0]) / sessionCount),
    payload: Buffer.byteLength(walked.map(({ args }) => JSON.stringify(args)).join('')),
    calls: walked.length,
  };
}

function withSessions(bench, directory, job) {
  const stateDirectory = join(bench.scratch, directory);
  const server = startBundled(bench, askingNobody(stateDirectory));
  return withPerson({ server, stateDirectory }, (beside) => job(server, beside));
}

async function eventRow(bench) {
  const definitions = await writeRing(join(bench.scratch, `${name}-ring`));
  const counts = [10, 1000, 10_000];
  const sizes = [];
  for (const events of counts) {
    const wanted = join(bench.scratch, `${name}-${events}`);
    await makeLongSession(wanted, { ...bench, definitions, events });
    sizes.push(sizeOf(wanted));
  }
  const forEach = (at) => Math.round((sizes[at] - sizes[at - 1]) / (counts[at] - counts[at - 1]));
  return compare('event, from 1,000 to 10,000; baseline: from 10 to 1,000', {
    unit: 'bytes',
    ours: [forEach(2)],
    baseline: [forEach(1)],
    atMost: 1.1,
    note: 'growth of the database for each event of the ring, with an output of 1 kB',
  });
}

function sizeOf(stateDirectory) {
  return statSync(join(stateDirectory, 'sessions.db')).size;
}
