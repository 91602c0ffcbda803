import { WorkflowError } from '@workflowlookup/schema';
import type { Carried } from '../session-engine/carry-out.ts';
import { carryOut } from '../session-engine/carry-out.ts';
import { nowOf } from '../session-engine/clock.ts';
import { eventOf } from '../session-engine/load-state.ts';
import type { LoadedRun } from '../session-engine/open-session.ts';
import { traced } from '../session-engine/trace.ts';
import type { SessionCommand } from '../session/command.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import type { OperatorParts } from './load-run.ts';

/** What a person can write. */
type Deed = Extract<SessionCommand, { kind: 'answer' | 'abandon' }>;

/** Carries out what a person asks for, and keeps it in the trace, however it ends. */
export async function writeByHand(parts: OperatorParts, run: LoadedRun, deed: Deed): Promise<Carried> {
  const { vault, state, agent } = run;
  const call = { kind: deed.kind, vault, state, agentId: agent.id, startMs: nowOf(parts) };
  return traced(parts, call, async () => {
    const carried = await carryOut(parts, run, deed);
    if ('overtaken' in carried) throw await overtakenError(run, carried.overtaken);
    return carried;
  });
}

async function overtakenError({ vault, seen }: LoadedRun, state: SessionState): Promise<WorkflowError> {
  const [kept] = await vault.store.events(state.sid, { after: seen.revision, limit: 1 });
  const what = kept === undefined ? 'moved on' : describeEvent(eventOf(kept));
  return new WorkflowError(
    'SESSION_CONFLICT',
    `The session ${what} meanwhile: it is at revision ${state.revision}. Nothing was changed. Look at it again.`,
    { data: { sid: state.sid, revision: state.revision } },
  );
}

function describeEvent(event: SessionEvent): string {
  if (event.type !== 'checkpoint-answered') return 'moved on';
  const { checkpoint, answer, by, person } = event;
  const said = answer.kind === 'dismissed' ? 'dismissed' : `answered with '${answer.option}'`;
  return `had checkpoint '${checkpoint}' ${said} by ${person ?? (by === 'agent' ? 'the agent' : 'a person')}`;
}
