import type { SessionPolicy } from '@workflowlookup/core/sessions';
import { idInCommand } from '@workflowlookup/schema';
import type { SessionOptions } from './options.ts';
import type { SourceOptions } from './sources/sources.ts';
import { placeMessages } from './messages.ts';

export function policyOf(options: SessionOptions & SourceOptions): SessionPolicy {
  const { enforcement = 'advisory', minResponseMs = 3000, gates = 'declared', autonomy = 'ask' } = options;
  const { trustElicitation = false, humanAnswersWith = answerCommand(options) } = options;
  return { enforcement, minResponseMs, gates, autonomy, trustElicitation, humanAnswersWith };
}

/** The command by which a person answers. Answers name no path and no address: where sessions are kept elsewhere than usual it says by which flag. */
function answerCommand({ stateDirectory, database }: SessionOptions): SessionPolicy['humanAnswersWith'] {
  const flag = database === undefined ? '--state' : '--database';
  const isElsewhere = database !== undefined || stateDirectory !== undefined;
  return (sid) => {
    const command = `workflowlookup sessions respond ${idInCommand(sid)}`;
    return isElsewhere ? placeMessages.withSameOption(command, flag) : command;
  };
}
