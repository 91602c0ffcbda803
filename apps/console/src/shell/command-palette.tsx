import { Dialog } from '@base-ui/react/dialog';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { KeyboardEvent, ReactNode } from 'react';
import { useDeferredValue, useId, useState } from 'react';
import { catalogueQuery, foundSessionsQuery } from '../api/queries.ts';
import { sessionTitle, workflowName } from '../components/tags.tsx';
import { shellMessages } from '../messages/common.ts';
import { workflowMessages } from '../messages/workflows.ts';
import { useSavedViews } from '../sessions/saved-views.tsx';
import '../styles/palette.css';
import { useShortcuts } from './shortcuts.tsx';

const { palette: messages, navigation } = shellMessages;

/** Something that the palette can do. */
interface Command {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly detail?: string;
  readonly run: () => void;
}

/** Opens with Ctrl+K, finds pages, workflows, saved views and sessions, and goes there. */
export function CommandPalette(): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  useShortcuts(shellMessages.shortcuts.everywhere, [
    { keys: 'mod+k', label: messages.open, run: () => setIsOpen(true) },
  ]);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-ground" />
        <Dialog.Popup className="dialog palette" aria-label={messages.title}>
          <PaletteContent onDone={() => setIsOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteContent({ onDone }: { readonly onDone: () => void }): ReactNode {
  const id = useId();
  const [text, setText] = useState('');
  // By its id, because results that arrive later move it.
  const [chosen, setChosen] = useState<string>();
  const { commands, isSearching } = useCommands(text);
  const at = Math.max(
    0,
    commands.findIndex((command) => command.id === chosen),
  );
  const choose = (command: Command | undefined): void => {
    if (command === undefined) return;
    onDone();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen(commands.at((at + step) % commands.length)?.id);
    else if (event.key === 'Enter') choose(commands[at]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        className="input palette-input focus-inside"
        role="combobox"
        aria-label={messages.title}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={commands.length === 0 ? undefined : `${id}-${at}`}
        autoComplete="off"
        spellCheck={false}
        placeholder={messages.hint}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setChosen(undefined);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-list`} className="palette-list" role="listbox" aria-label={messages.results}>
        {commands.map((command, index) => (
          <li
            key={command.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            ref={index === at ? scrollIntoView : undefined}
            onPointerMove={() => setChosen(command.id)}
            onClick={() => choose(command)}
          >
            <span className="palette-label one-line">{command.label}</span>
            {command.detail !== undefined && <span className="small muted">{command.detail}</span>}
            <span className="small muted palette-kind">{command.kind}</span>
          </li>
        ))}
      </ul>
      <p className="small muted palette-foot" role="status">
        {commands.length > 0 ? messages.keys : isSearching ? messages.searching : messages.nothing}
      </p>
    </>
  );
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

/** Below this length, a text finds too many sessions to be useful. */
const minSearchLength = 2;
const maxWorkflows = 8;

function useCommands(text: string): { readonly commands: readonly Command[]; readonly isSearching: boolean } {
  const { navigate } = useRouter();
  const views = useSavedViews();
  const search = useDeferredValue(text.trim());
  const catalogue = useQuery(catalogueQuery);
  const found = useQuery({
    ...foundSessionsQuery({ search }),
    enabled: search.length >= minSearchLength,
    placeholderData: keepPreviousData,
  });
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ label, detail = '' }: Command): boolean =>
    words.every((word) => `${label} ${detail}`.toLowerCase().includes(word));
  const pages: readonly Command[] = (
    [
      ['/checkpoints', navigation.checkpoints],
      ['/sessions', navigation.sessions],
      ['/workflows', navigation.workflows],
      ['/checks', workflowMessages.checks.title],
      ['/insights', navigation.insights],
      ['/health', navigation.health],
      ['/edit', messages.newWorkflow],
      ['/judge', messages.tryCriteria],
    ] as const
  ).map(([to, label]) => ({ id: to, kind: messages.kinds.page, label, run: () => void navigate({ to }) }));
  const saved = views.map(({ name, page, search: filters }): Command => ({
    id: `view ${page} ${name}`,
    kind: messages.kinds.view,
    label: name,
    run: () => void navigate({ to: page, search: filters }),
  }));
  const workflows = (catalogue.data?.workflows ?? []).flatMap(({ id, name }): Command[] => [
    {
      id: `workflow ${id}`,
      kind: messages.kinds.workflow,
      label: name,
      detail: id,
      run: () => void navigate({ to: '/workflows/$id', params: { id } }),
    },
    {
      id: `insights ${id}`,
      kind: messages.kinds.insights,
      label: messages.insightsOf(name),
      detail: id,
      run: () => void navigate({ to: '/insights', search: { workflow: id } }),
    },
  ]);
  const sessions = search.length < minSearchLength ? [] : (found.data?.sessions ?? []);
  const commands = [
    ...[...pages, ...saved].filter(matches),
    ...(words.length === 0 ? [] : workflows.filter(matches).slice(0, maxWorkflows)),
    // The server finds them, so they come later. The first one of the list stays the same.
    ...sessions.map((row): Command => ({
      id: row.sid,
      kind: messages.kinds.session,
      label: sessionTitle(row),
      detail: `${row.subject === undefined ? '' : `${workflowName(row)} · `}${row.sid.slice(0, 8)}`,
      run: () => void navigate({ to: '/sessions/$sid', params: { sid: row.sid } }),
    })),
  ];
  return { commands, isSearching: found.isFetching };
}
