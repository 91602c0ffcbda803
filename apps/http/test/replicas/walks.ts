import type { SessionStore } from '@workflowlookup/storage';
import { auditSession } from '@workflowlookup/storage/journal';
import { expect } from 'vitest';
import { moveFrom } from '../../../stdio/test/support/relay-workflow.ts';
import { expectSealed, outputsOf } from '../../../stdio/test/support/whole-journal.ts';
import type { HttpAnswer } from './http-agent.ts';

/** Calls a tool, and retries if necessary. */
export type Send = (name: string, args: object) => Promise<HttpAnswer>;

/** A session of the workflow `relay` that only one agent writes to. */
export interface Walk {
  readonly sid: string;
  readonly revision: number;
  readonly token: string;
}

export async function beginWalk(send: Send): Promise<Walk> {
  const { error, text, token, raw } = await send('start_session', {
    agent_id: 'agent',
    workflow_id: 'relay',
  });
  expect(error, raw).toBe('');
  return { sid: (JSON.parse(text) as { session_id: string }).session_id, revision: 1, token };
}

/** Returns the arguments of `next_activity` for the next move. */
function nextMove({ revision, token }: Walk): object {
  return { session_token: token, ...moveFrom(revision, `output ${revision}`) };
}

/** Makes the next move, and expects that it succeeds. */
export async function moveOn(walk: Walk, send: Send): Promise<Walk> {
  const { error, token, raw } = await send('next_activity', nextMove(walk));
  expect(error, raw).toBe('');
  return { ...walk, revision: walk.revision + 1, token };
}

/** Makes moves until the test is over. */
export async function walkOn(send: Send, begun: Walk, tally: { readonly isOver: boolean }): Promise<Walk> {
  let walk = begun;
  while (!tally.isOver) walk = await moveOn(walk, send);
  return walk;
}

/** Returns the number of moves in these sessions. */
export function movesOf(walks: readonly Walk[]): number {
  return walks.reduce((sum, { revision }) => sum + revision - 1, 0);
}

/** Expects that the journal of each session contains every move once, in order, and no other move. */
export async function expectKept(store: SessionStore, walks: readonly Walk[]): Promise<void> {
  for (const { sid, revision } of walks)
    expect(await keptOutputs(store, sid)).toEqual(
      Array.from({ length: revision - 2 }, (_, index) => `output ${index + 2}`),
    );
}

/** Returns the outputs in the journal of a session, and expects that the journal is complete and sealed. */
export async function keptOutputs(store: SessionStore, sid: string): Promise<readonly string[]> {
  const loaded = await store.load(sid);
  if (loaded === undefined) throw new Error(`session ${sid} was lost`);
  const { session, snapshot } = loaded;
  const { events, verdict } = await auditSession(store, session);
  expect(verdict).toEqual({ ok: true, head: { revision: session.revision, hash: session.hash } });
  expect(snapshot?.revision).toBe(session.revision);
  await expectSealed(store, sid);
  return events.flatMap(outputsOf);
}
