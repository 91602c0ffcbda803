import { useState } from 'react';

/** What a person has begun to answer: it survives a reload. */
export interface Draft {
  readonly option?: string;
  readonly note: string;
}

const storageKey = 'workflowlookup.drafts';
/** Older drafts are dropped. */
const mostDrafts = 100;
const empty: Draft = { note: '' };

/** Returns the draft for a question, and a function that changes it. */
export function useDraft(key: string): readonly [Draft, (draft: Draft) => void] {
  const [draft, setDraft] = useState(() => storedDrafts()[key] ?? empty);
  return [
    draft,
    (next) => {
      setDraft(next);
      storeDraft(key, next);
    },
  ];
}

export function dropDraft(key: string): void {
  storeDraft(key, empty);
}

function storeDraft(key: string, draft: Draft): void {
  const { [key]: _old, ...others } = storedDrafts();
  const isEmpty = draft.note === '' && draft.option === undefined;
  const entries = Object.entries(isEmpty ? others : { ...others, [key]: draft }).slice(-mostDrafts);
  localStorage.setItem(storageKey, JSON.stringify(Object.fromEntries(entries)));
}

function storedDrafts(): Readonly<Record<string, Draft>> {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Readonly<Record<string, Draft>>;
  } catch {
    // Somebody else wrote there, so there are no drafts to keep.
    return {};
  }
}
