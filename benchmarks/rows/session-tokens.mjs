import { join } from 'node:path';
import { addedText, textsOf } from '../figures/added-text.mjs';
import { bundledDefinitions, bundledWalks } from '../sessions/bundled-walks.mjs';
import { exactly } from '../figures/result.mjs';
import { startBundled, startOurs } from '../servers/servers.mjs';
import { askingNobody, withPerson } from '../sessions/session-person.mjs';
import { walkAlone, walkSession } from '../sessions/session-walk.mjs';
import { countTokens } from '../figures/tokens.mjs';
import {
  twenty,
  twentyDefinitions,
  twentyWalk,
  walkWithoutOutputs,
  writeTwenty,
} from '../definitions/twenty-steps.mjs';

export const name = 'session-tokens';

const stepCount = 20;
/** The number of bytes that a comparable server sends in a walk of 20 calls. */
const comparedBytes = 99_000;

/** Measures how much the server adds to the texts of authors, in sessions of 20 steps and in a walk of 20 calls. */
export async function run(bench) {
  const definitions = await writeTwenty(join(bench.scratch, name));
  const own = (flags, walk) => measureOwn(bench, { definitions, flags, walk });
  const bundled = await measureBundled(bench);
  const [worst] = bundled.toSorted((a, b) => b.inAll - a.inAll);
  const strict = ['--enforcement', 'strict'];
  return [
    ...rowsOf(`${worst.id}, strict`, worst),
    ...rowsOf('20 activities, advisory', await own([], twentyWalk(twenty.activities))),
    ...rowsOf('20 activities, strict', await own(strict, twentyWalk(twenty.activities))),
    ...rowsOf(
      '20 activities, advisory, without outputs',
      await own([], walkWithoutOutputs(twenty.activities)),
    ),
    ...rowsOf('step workflow, strict', await own(strict, twentyWalk(twenty.steps))),
    await aloneRow(bench, definitions, { id: twenty.activities, which: '20 activities' }),
    await aloneRow(bench, definitions, { id: twenty.steps, which: 'step workflow' }),
    await lostRow(bench, definitions),
    bytesRow(bundled),
  ];
}

function rowsOf(which, { inAll, aStep, of }) {
  return [
    rowOf(`${which}: session`, { value: inAll, most: 3000, note: of }),
    rowOf(`${which}: worst step`, {
      value: aStep,
      most: 100,
      note: 'tokens for entering and reading its activity, divided by the number of steps',
    }),
  ];
}

function rowOf(what, { value, most, note }) {
  return exactly(what, {
    unit: 'tokens',
    value,
    bound: `≤ ${most.toLocaleString('en')}`,
    holds: value <= most,
    note,
  });
}

/** Measures the tokens that the server adds for each step if an agent works alone, averaged over the whole session. */
async function aloneRow(bench, definitions, { id, which }) {
  const stateDirectory = join(bench.scratch, `${name}-alone-${id}`);
  const server = startOurs(bench, definitions, askingNobody(stateDirectory));
  const authored = { texts: textsOf(twentyDefinitions()[id]), isComposed: id === twenty.steps };
  return withPerson({ server, stateDirectory, definitions }, async (sessions) => {
    const calls = await walkAlone(server, sessions, twentyWalk(id));
    const added = await Promise.all(calls.map(({ text }) => countTokens(addedText(text, authored))));
    const sum = added.reduce((total, value) => total + value, 0);
    return rowOf(`${which}, agent alone: average step`, {
      value: Math.ceil(sum / stepCount),
      most: 60,
      note: `${calls.length} calls; ${sum} in all, ${added[0]} of them at the start`,
    });
  });
}

/** Measures what an agent without any context reads until it can work again: `discover`, then `start_session`. */
async function lostRow(bench, definitions) {
  const stateDirectory = join(bench.scratch, `${name}-lost`);
  const server = startOurs(bench, definitions, askingNobody(stateDirectory));
  return withPerson({ server, stateDirectory, definitions }, async (sessions) => {
    const { visits, ...walk } = twentyWalk(twenty.activities);
    await walkAlone(server, sessions, { ...walk, visits: visits.slice(0, 5) });
    const found = textOf(await server.tool('discover', {}));
    const sid = /[0-9a-f]{20}/.exec(found)?.[0];
    const args = { agent_id: 'agent', session_token: sid, include_activity: true };
    const resumed = textOf(await server.tool('start_session', args));
    if (!resumed.includes('look-6')) throw new Error(`The agent can't work: ${resumed}`);
    const [first, second] = await Promise.all([found, resumed].map(countTokens));
    return rowOf('20 activities: after a loss of context', {
      value: first + second,
      most: 1000,
      note: `${first} of discover, ${second} of start_session with the activity`,
    });
  });
}

function textOf({ result }) {
  return result.content[0].text;
}

function bytesRow(measured) {
  const worst = measured.reduce((most, one) => (one.bytes > most.bytes ? one : most));
  const most = comparedBytes / 5;
  return exactly('bytes of 20 calls', {
    unit: 'bytes',
    value: worst.bytes,
    bound: `< ${most.toLocaleString('en')}`,
    holds: worst.bytes < most,
    note: `${worst.id}, results of the calls as sent; ${worst.whole} with the texts of authors`,
  });
}

async function measureBundled(bench) {
  const { meta, ...definitions } = await bundledDefinitions();
  const walks = (await bundledWalks()).filter(({ id, visits }) => id !== 'meta' && visits.length >= 7);
  const firsts = walks.filter(({ id }, at) => walks.findIndex((walk) => walk.id === id) === at);
  const stateDirectory = join(bench.scratch, `${name}-bundled`);
  const server = startBundled(bench, askingNobody(stateDirectory));
  return withPerson({ server, stateDirectory }, async (sessions) => {
    const measured = [];
    for (const walk of firsts) {
      const authored = { texts: textsOf([meta, definitions[walk.id]]), isComposed: false };
      measured.push(await measure(await walkSession(server, sessions, walk), { id: walk.id, authored }));
    }
    return measured;
  });
}

async function measureOwn(bench, { definitions, flags, walk }) {
  const stateDirectory = join(
    bench.scratch,
    `${name}-${walk.id}-${flags.length}-${walk.outputOf?.name ?? ''}`,
  );
  const server = startOurs(bench, definitions, [...askingNobody(stateDirectory), ...flags]);
  const texts = textsOf(twentyDefinitions()[walk.id]);
  const authored = { texts, isComposed: walk.id === twenty.steps };
  return withPerson({ server, stateDirectory, definitions }, async (sessions) =>
    measure(await walkSession(server, sessions, walk), { id: walk.id, authored }),
  );
}

/**
 * Returns the tokens added until 20 steps are submitted, those of the worst step, and the bytes added in the first 20
 * calls.
 */
async function measure(walked, { id, authored }) {
  const calls = walked.filter(({ byPerson }) => !byPerson);
  const added = await Promise.all(calls.map(({ text }) => countTokens(addedText(text, authored))));
  const end = lastOf(calls);
  const bytesOf = ({ text, bytes }) => bytes - inJson(text) + inJson(addedText(text, authored));
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  return {
    id,
    of: `${end} calls, with checkpoints and the start`,
    inAll: sum(added.slice(0, end)),
    aStep: worstStep(calls.slice(0, end), added),
    bytes: sum(calls.slice(0, 20).map(bytesOf)),
    whole: sum(calls.slice(0, 20).map(({ bytes }) => bytes)),
  };
}

/** Returns the number of calls until 20 steps are submitted. */
function lastOf(calls) {
  let steps = 0;
  const at = calls.findIndex(({ tool, args }) => {
    if (tool === 'next_activity') steps += args.step_manifest?.length ?? 0;
    return steps >= stepCount;
  });
  return at === -1 ? calls.length : at + 1;
}

function worstStep(calls, added) {
  let entered = 0;
  let worst = 0;
  for (const [at, { tool, args }] of calls.entries()) {
    if (tool === 'get_activity') entered += added[at];
    if (tool !== 'next_activity') continue;
    const steps = Math.max(args.step_manifest?.length ?? 0, 1);
    if (at > 2) worst = Math.max(worst, Math.ceil(entered / steps));
    entered = added[at];
  }
  return worst;
}

function inJson(text) {
  return Buffer.byteLength(JSON.stringify(text));
}
