import { fillText } from '../library/fill-variables.ts';
import { policyFor } from '../session/command.ts';
import { placeOfQuestion, waitsForHuman } from '../session/open-checkpoints.ts';
import { describeSession } from './find-sessions.ts';
import type { OperatorParts } from './load-session.ts';
import { loadRunnableSession } from './load-session.ts';

/** What a list shows of an open checkpoint. */
export interface CheckpointGlance {
  readonly sid: string;
  /** The revision that an answer names. */
  readonly revision: number;
  readonly id: string;
  /** With the variables filled in. This is untrusted data. */
  readonly name: string;
  /** The workflow, and what the session is about, if anything says so. */
  readonly workflowId: string;
  readonly title: string;
  readonly subject?: string;
  /** The agent that started the session, and its working folder. */
  readonly agent: string;
  readonly project?: string;
  /** The name of the activity that asks. */
  readonly activity: string;
  /** ISO 8601. */
  readonly yieldedAt: string;
  readonly needsHuman: boolean;
  /** When an agent may take the default option, if nobody answers; ISO 8601. */
  readonly timerEndsAt?: string;
}

/** Returns the open checkpoint of a session in short, or `undefined` if none is open. */
export async function glanceAtCheckpoint(
  parts: OperatorParts,
  sid: string,
): Promise<CheckpointGlance | undefined> {
  const { state, runnable, session, vault } = await loadRunnableSession(parts, sid);
  const { gate: open, revision } = state;
  if (open === undefined) return undefined;
  const place = runnable.navigator.place(open.activity, state);
  const gate = place.gates.find(({ id }) => id === open.checkpoint);
  if (gate === undefined) return undefined;
  const { autoAdvanceMs, defaultOption, blocking } = gate;
  const { subject } = await describeSession(vault.store, { session, state }, runnable.workflow);
  const { workflowId, agent, project } = session;
  const isTimed = autoAdvanceMs !== undefined && defaultOption !== undefined && blocking !== true;
  return {
    sid,
    revision,
    id: gate.id,
    name: fillText(gate.name, placeOfQuestion(state, place, gate).context),
    workflowId,
    title: runnable.navigator.workflow.title,
    ...(subject !== undefined && { subject }),
    agent,
    ...(project !== undefined && { project }),
    activity: place.name,
    yieldedAt: open.yieldedAt,
    needsHuman: waitsForHuman(open, gate, policyFor(state, parts.policy)),
    ...(isTimed && {
      timerEndsAt: new Date(Date.parse(open.yieldedAt) + autoAdvanceMs).toISOString(),
    }),
  };
}
