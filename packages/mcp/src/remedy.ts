import type { CallKind } from '@workflowlookup/core';
import { toolOfCall } from './tools/next-call-on-wire.ts';

/** What each kind of call does about a failure, before the name of its tool. */
const purposes: Readonly<Record<CallKind, string>> = {
  start: 'Start or resume a session with',
  status: 'See where the session stands with',
  'read-workflow': 'Read the workflow with',
  move: 'Enter an activity with',
  'read-activity': 'Read the activity with',
  yield: 'Yield the checkpoint with',
  resume: 'After the answer, continue with',
  present: 'See what the checkpoint asks with',
  answer: 'Answer the checkpoint with',
  'read-skills': 'Read the skills with',
  'read-skill': 'Read the skill with',
  'read-resource': 'Read the resource with',
  'resolve-operations': 'Look operations up with',
  'read-trace': 'Read the trace with',
};

/** What helps against a failure, as a caller on the wire reads it. */
export interface Remedy {
  readonly tool: string;
  readonly sentence: string;
}

/** The remedy a failure names by the kind of a call; `undefined` where it names none. */
export function remedyOf(kind: unknown): Remedy | undefined {
  if (typeof kind !== 'string' || !Object.hasOwn(toolOfCall, kind)) return undefined;
  const tool = toolOfCall[kind as CallKind];
  return { tool, sentence: `${purposes[kind as CallKind]} ${tool}.` };
}
