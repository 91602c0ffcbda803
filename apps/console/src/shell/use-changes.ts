import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { applyChanges } from '../api/apply-changes.ts';
import type { StreamState } from '../api/change-stream.ts';
import { openChangeStream } from '../api/change-stream.ts';
import { notifyOfGates } from '../gates/notify-of-gates.ts';

/** Keeps all that is shown current while somebody is signed in; returns whether it is. */
export function useChanges(): StreamState {
  const client = useQueryClient();
  const [state, setState] = useState<StreamState>('opening');
  useEffect(() => {
    const apply = applyChanges(client);
    const listeners = {
      ...apply,
      runs: (event: Parameters<typeof apply.runs>[0]): void => {
        apply.runs(event);
        notifyOfGates(event.runs);
      },
    };
    return openChangeStream(listeners, (next) => {
      setState(next);
      // A stream is refused with the same silence as it breaks: whether one is still signed in has to be asked.
      if (next === 'broken') void client.invalidateQueries({ queryKey: ['me'] });
    });
  }, [client]);
  return state;
}
