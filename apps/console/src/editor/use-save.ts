import type { UseMutationResult } from '@tanstack/react-query';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Issue } from '@workflowlookup/schema';
import { useState } from 'react';
import { ask } from '../api/ask.ts';
import { textQuery } from '../api/queries.ts';
import { Refusal } from '../api/refusal.ts';
import type { InvalidText, Saved, TextConflict } from '../contract.ts';
import type { Draft } from './draft.ts';

/** Saving a draft, and what came in between. */
export interface Saving {
  readonly save: UseMutationResult<Saved, Error, void>;
  /** What is there, as far as is known; saving says that it replaces this. */
  readonly base: { readonly text: string; readonly digest: string | null };
  /** Somebody else saved first. */
  readonly conflict: boolean;
  /** What keeps the text from being served. */
  readonly problems: readonly Issue[] | undefined;
}

/** Saves a text in the place of the one that was read, and never in that of another without saying so. */
export function useSave({
  draft,
  text,
  onSaved,
}: {
  readonly draft: Draft;
  readonly text: string;
  readonly onSaved: (workflowId: string) => void;
}): Saving {
  const client = useQueryClient();
  const { source, file } = draft;
  const [base, setBase] = useState<Saving['base']>(draft);
  const save = useMutation({
    mutationFn: () => ask('PUT /text', { body: { source, file, text, digest: base.digest } }),
    onSuccess: async ({ workflowId }) => {
      await client.invalidateQueries({ queryKey: textQuery(source, file).queryKey });
      await client.invalidateQueries({ queryKey: ['workflows'] });
      onSaved(workflowId);
    },
    onError: (error) => {
      const there = conflictIn(error);
      if (there !== undefined) setBase({ digest: there.digest, text: there.text ?? '' });
    },
  });
  return {
    save,
    base,
    conflict: conflictIn(save.error) !== undefined,
    problems: problemsIn(save.error),
  };
}

function conflictIn(error: Error | null): TextConflict['data'] | undefined {
  if (!(error instanceof Refusal) || error.code !== 'STATE' || !('digest' in error.data)) return undefined;
  return error.data as unknown as TextConflict['data'];
}

function problemsIn(error: Error | null): readonly Issue[] | undefined {
  if (!(error instanceof Refusal) || error.code !== 'INVALID_WORKFLOW') return undefined;
  return (error.data as unknown as InvalidText['data']).problems;
}
