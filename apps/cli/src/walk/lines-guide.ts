import type { Question } from '@workflowlookup/core';
import { idInCommand, WorkflowError } from '@workflowlookup/schema';
import type { Guide } from './guide.ts';
import type { PreparedReply } from './prepared-reply.ts';

/** What was prepared, in the order in which it is asked for: outputs of steps, and answers to checkpoints. */
export function linesGuide(replies: AsyncIterator<PreparedReply, unknown>): Guide {
  const next = async (): Promise<PreparedReply | undefined> => {
    const { done, value } = await replies.next();
    return done === true ? undefined : value;
  };
  return {
    mayTryAgain: false,
    async work() {
      const reply = await next();
      if (reply === undefined) return undefined;
      const { text, output = text, variables, step, activity } = reply;
      return {
        output,
        ...(variables === undefined ? {} : { variables }),
        ...(step === undefined ? {} : { step }),
        ...(activity === undefined ? {} : { activity }),
      };
    },
    async answer(question) {
      if (question.needsHuman) throw needsTerminal(question);
      const reply = await next();
      return reply && optionIn(question, reply.option ?? reply.text.trim());
    },
    // The first way that is open, as for an agent that names none.
    way: () => Promise.resolve(undefined),
  };
}

function optionIn({ checkpoint: { id, options } }: Question, named: string): string {
  const ids = options.map((option) => option.id);
  if (ids.includes(named)) return named;
  throw new WorkflowError(
    'INVALID_PARAMS',
    `Checkpoint '${id}' has no option '${named}'; there are: ${ids.join(', ')}.`,
  );
}

function needsTerminal({ checkpoint, sid }: Question): WorkflowError {
  return new WorkflowError(
    'HUMAN_REQUIRED',
    `Checkpoint '${checkpoint.id}' is answered by a person at a terminal, and standard input is none. There it goes on with 'workflowlookup sessions resume ${idInCommand(sid)}'.`,
  );
}
