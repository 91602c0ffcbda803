import { Link } from '@tanstack/react-router';
import { Bookmark, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { Form, TextField, Button } from '../components/controls.tsx';
import { createLocalStore } from '../components/store.ts';
import { textParams } from '../api/client.ts';
import { sessionMessages } from '../messages/sessions.ts';
import type { InsightsSearch } from '../insights/insights-page.tsx';
import type { SessionsSearch } from './sessions-page.tsx';

const { views: messages } = sessionMessages;

/** A name for filters of the list of sessions, or of the insights. */
export interface SavedView {
  readonly name: string;
  readonly page: '/sessions' | '/insights';
  readonly search: SessionsSearch & InsightsSearch;
}

/** Views are kept in this browser, because they are a person's own. */
const viewsKey = 'workflowlookup.views';
const maxViews = 20;

const savedViews = createLocalStore(viewsKey, readViews);

/** Returns the saved views, and renders again when they change. */
export const useSavedViews = savedViews.useValue;

function readViews(found: unknown): readonly SavedView[] {
  if (!Array.isArray(found)) return [];
  return found.flatMap((one: unknown) => {
    const { name, search, page } = (one ?? {}) as Partial<SavedView>;
    return typeof name === 'string' && typeof search === 'object'
      ? [{ name, search: textParams(search), page: page === '/insights' ? page : '/sessions' }]
      : [];
  });
}

/** Stores a view in place of the one with this name, or removes that one. Other tabs may have stored views too. */
function storeView({ page, name }: Pick<SavedView, 'page' | 'name'>, view?: SavedView): void {
  const others = savedViews.get().filter((one) => one.page !== page || one.name !== name);
  savedViews.set([...others, ...(view === undefined ? [] : [view])].slice(-maxViews));
}

/** Renders the saved views of a page, and a way to save the current filters as one. */
export function SavedViews({ page, search }: Pick<SavedView, 'page' | 'search'>): ReactNode {
  const views = useSavedViews().filter((view) => view.page === page);
  const current = JSON.stringify(search);
  const isSaved = views.some((view) => JSON.stringify(view.search) === current);
  const isFiltered = Object.keys(search).length > 0;
  if (views.length === 0 && !isFiltered) return null;
  return (
    <nav className="row views" aria-label={messages.label}>
      {views.map((view) => (
        <span key={view.name} className="view" data-current={JSON.stringify(view.search) === current}>
          <Link to={page} search={view.search}>
            <Bookmark size={14} aria-hidden />
            {view.name}
          </Link>
          <button type="button" aria-label={messages.remove(view.name)} onClick={() => storeView(view)}>
            <X size={14} aria-hidden />
          </button>
        </span>
      ))}
      {isFiltered && !isSaved && (
        <SaveView onSave={(name) => storeView({ page, name }, { name, page, search })} />
      )}
    </nav>
  );
}

function SaveView({ onSave }: { readonly onSave: (name: string) => void }): ReactNode {
  const [name, setName] = useState<string>();
  if (name === undefined)
    return (
      <Button look="quiet" size="small" icon={Bookmark} onClick={() => setName('')}>
        {messages.save}
      </Button>
    );
  return (
    <Form
      className="row"
      onSubmit={() => {
        if (name.trim() !== '') onSave(name.trim().slice(0, 40));
        setName(undefined);
      }}
      onKeyDown={({ key }) => key === 'Escape' && setName(undefined)}
    >
      <TextField
        label={messages.name}
        hidesLabel
        autoFocus
        placeholder={messages.name}
        value={name}
        onChange={setName}
      />
      <Button type="submit" size="small">
        {messages.keep}
      </Button>
    </Form>
  );
}
