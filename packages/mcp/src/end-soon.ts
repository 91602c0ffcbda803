import { WorkflowError } from '@workflowlookup/schema';

/** How long work may go on after it was told to end. */
const momentMs = 500;

/** What work gives, or a moment after the signal, where it does not heed that, the failure that it was ended. */
export function endSoon<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    let moment: NodeJS.Timeout | undefined;
    const giveUp = (): void => {
      moment = setTimeout(() => reject(endedEarly()), momentMs);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    void work.then(resolve, reject).finally(() => {
      clearTimeout(moment);
      signal.removeEventListener('abort', giveUp);
    });
  });
}

/** The failure of a call that nobody waits for any more. */
export function endedEarly(): WorkflowError {
  return new WorkflowError('SERVER_ERROR', 'The call was ended before it was done.');
}
