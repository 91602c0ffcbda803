import { sessionTokenOf } from '../clients/stdio-client.mjs';

/**
 * A call of a walk, with its result.
 *
 * @typedef {object} WalkedCall
 * @property {string} tool
 * @property {Record<string, any>} args without the token
 * @property {boolean} byPerson whether a person made it outside the server, so that the agent does not see it
 * @property {string} text the text of the result, which the model reads
 * @property {number} bytes of the result on the wire
 */

/**
 * Walks a session from start to end like an agent would: it reads the workflow, then enters, reads and leaves each
 * activity and yields its checkpoints. The walk reads the legal next calls directly from the state directory, so that
 * this does not count as a call of the agent. Checkpoints that require a person are answered there too.
 *
 * @param {import('../clients/stdio-client.mjs').Client} server
 * @param {import('@workflowlookup/core/sessions').Sessions} beside
 * @param {import('./bundled-walks.mjs').Walk} walk
 * @returns {Promise<readonly WalkedCall[]>}
 */
export async function walkSession(server, beside, { id, visits, outputOf }) {
  const session = callerOf(server, beside);
  await session.call('start_session', { agent_id: 'agent', workflow_id: id });
  await session.call('get_workflow', {});
  await session.call('next_activity', {});
  for (const visit of visits) {
    await session.call('get_activity', {});
    for (let isThere = true; isThere;) {
      const { tool, args, byPerson } = callFor(await session.nextCall(), { visit, outputOf });
      await session.call(tool, args, byPerson);
      if (tool === 'yield_checkpoint') await session.call('present_checkpoint', {});
      if (tool === 'respond_checkpoint') await session.call('resume_checkpoint', {});
      isThere = tool !== 'next_activity';
    }
  }
  return session.calls;
}

/**
 * Walks a session like an agent that works alone: each call that leaves an activity also returns the next activity.
 *
 * @param {import('../clients/stdio-client.mjs').Client} server
 * @param {import('@workflowlookup/core/sessions').Sessions} beside
 * @param {import('./bundled-walks.mjs').Walk} walk
 * @returns {Promise<readonly WalkedCall[]>}
 */
export async function walkAlone(server, beside, { id, visits, outputOf }) {
  const session = callerOf(server, beside);
  await session.call('start_session', { agent_id: 'agent', workflow_id: id, include_activity: true });
  for (const visit of visits) {
    for (let isThere = true; isThere;) {
      const { tool, args, byPerson } = callFor(await session.nextCall(), { visit, outputOf });
      await session.call(tool, { ...args, ...wholeAnswer[tool] }, byPerson);
      isThere = tool !== 'next_activity';
    }
  }
  return session.calls;
}

const wholeAnswer = {
  next_activity: { include_activity: true },
  yield_checkpoint: { include_checkpoint: true },
};

/** Repeats the calls of a walk in a new session. */
export async function repeatWalk(server, beside, walked) {
  const session = callerOf(server, beside);
  for (const { tool, args, byPerson } of walked) await session.call(tool, args, byPerson);
}

function callerOf(server, beside) {
  const calls = [];
  let token;

  async function answerBeside({ option_id: option }) {
    const mode = { kind: 'option', option };
    ({ token } = await beside.answer(token, { mode, through: 'elicitation', note: 'Because.' }));
    return { text: '', bytes: 0 };
  }

  async function callServer(tool, args) {
    const given = token === undefined ? args : { ...args, session_token: token };
    const reply = await server.tool(tool, given);
    token = sessionTokenOf(reply);
    const { result } = reply;
    return { text: result.content[0].text, bytes: Buffer.byteLength(JSON.stringify(result)) };
  }

  return {
    calls,
    async call(tool, args, byPerson = false) {
      const answer = await (byPerson ? answerBeside(args) : callServer(tool, args));
      calls.push({ tool, args, byPerson, ...answer });
    },
    /** Returns the first of the legal next calls that writes. */
    async nextCall() {
      const { next } = (await beside.status(token)).value;
      return next.find(({ kind }) => writes.has(kind));
    },
  };
}

const writes = new Set(['yield', 'answer', 'move']);

function callFor(next, { visit, outputOf }) {
  const { answers = {}, sets } = visit;
  switch (next.kind) {
    case 'yield':
      return { tool: 'yield_checkpoint', args: { checkpoint_id: next.checkpoint } };
    case 'answer':
      return {
        tool: 'respond_checkpoint',
        // Some options require a note.
        args: { option_id: answers[next.checkpoint] ?? next.options[0], note: 'Because.' },
        byPerson: next.by === 'human',
      };
    default: {
      const manifest = outputOf && next.steps.map((step) => entryOf(step, outputOf(step, visit)));
      return {
        tool: 'next_activity',
        args: {
          ...(manifest && { step_manifest: manifest }),
          ...(sets !== undefined && { variables: sets }),
        },
      };
    }
  }
}

function entryOf(step, output) {
  return output === undefined
    ? { step_id: step, not_done: 'Not in a benchmark.' }
    : { step_id: step, output };
}
