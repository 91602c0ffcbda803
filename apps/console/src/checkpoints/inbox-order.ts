import { sessionTitle, workflowName } from '../components/tags.tsx';
import type { CheckpointListRow } from '../contract/index.ts';

/** How the list of checkpoints is shown. It is in the address of the page. */
export interface InboxView {
  readonly order?: string;
  readonly group?: string;
  readonly workflow?: string;
  /** `person`: only those that need a person. */
  readonly needs?: string;
  readonly text?: string;
}

export const orders = ['urgent', 'newest'] as const;
export const groupings = ['workflow', 'folder', 'agent'] as const;

export function checkpointKey({ sid, revision }: Pick<CheckpointListRow, 'sid' | 'revision'>): string {
  return `${sid} ${revision}`;
}

/** Returns the rows that match a view, in its order, the rows of each group together. */
export function arrange(rows: readonly CheckpointListRow[], view: InboxView): readonly CheckpointListRow[] {
  const found = rows.filter((row) => matches(row, view)).toSorted(comparisons[orderOf(view)]);
  const groupOf = groupKey(view);
  if (groupOf === undefined) return found;
  const groups = new Map<string, CheckpointListRow[]>();
  for (const row of found) {
    const group = groups.get(groupOf(row));
    if (group === undefined) groups.set(groupOf(row), [row]);
    else group.push(row);
  }
  return [...groups.values()].flat();
}

type Order = 'oldest' | (typeof orders)[number];

function orderOf({ order }: InboxView): Order {
  return orders.find((one) => one === order) ?? 'oldest';
}

const comparisons: Readonly<Record<Order, (one: CheckpointListRow, other: CheckpointListRow) => number>> = {
  oldest: byAge,
  newest: (one, other) => byAge(other, one),
  urgent: (one, other) => compare(urgency(one), urgency(other)) || byAge(one, other),
};

function byAge(one: CheckpointListRow, other: CheckpointListRow): number {
  return compare(one.yieldedAt, other.yieldedAt) || compare(one.sid, other.sid);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Returns whether an agent may soon answer in place of a person. */
export function isUrgent({ timerEndsAt }: CheckpointListRow): boolean {
  return timerEndsAt !== undefined;
}

/** A timer that ends soon is urgent. Without one, those that only a person can answer come first. */
function urgency({ timerEndsAt, needsHuman }: CheckpointListRow): string {
  return timerEndsAt ?? (needsHuman ? 'x' : 'y');
}

function matches(row: CheckpointListRow, { workflow, needs, text = '' }: InboxView): boolean {
  if (workflow !== undefined && row.session.workflowId !== workflow) return false;
  if (needs === 'person' && !row.needsHuman) return false;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const { session } = row;
  const all = [
    row.name,
    row.id,
    row.activity,
    sessionTitle(session),
    workflowName(session),
    session.workflowId,
    session.agent,
    session.project,
    row.sid,
  ]
    .join('\n')
    .toLowerCase();
  return words.every((word) => all.includes(word));
}

/** Returns the function that names the group of a row, or `undefined` if the view has no groups. */
export function groupKey({ group }: InboxView): ((row: CheckpointListRow) => string) | undefined {
  switch (groupings.find((one) => one === group)) {
    case 'workflow':
      return ({ session }) => workflowName(session);
    case 'folder':
      return ({ session }) => session.project ?? '—';
    case 'agent':
      return ({ session }) => session.agent;
    case undefined:
      return undefined;
  }
}

/** The list as it is on the screen. */
export interface StableList {
  readonly rows: readonly CheckpointListRow[];
  /** The keys of rows that no longer wait. They keep their place until the person refreshes the list. */
  readonly gone: ReadonlySet<string>;
  /** Rows that came since, and are not in the list yet. */
  readonly fresh: readonly CheckpointListRow[];
}

export const emptyList: StableList = { rows: [], gone: new Set(), fresh: [] };

/**
 * Returns the list after the server's rows changed. No row moves: rows that no longer wait are only marked, and new rows
 * are held back, so that nothing appears under the pointer. New rows enter an empty list at once.
 */
export function keepStable(list: StableList, waiting: readonly CheckpointListRow[]): StableList {
  const byKey = new Map(waiting.map((row) => [checkpointKey(row), row]));
  const shown = new Set(list.rows.map(checkpointKey));
  const fresh = waiting.filter((row) => !shown.has(checkpointKey(row)));
  if (list.rows.length === 0) return { rows: fresh, gone: new Set(), fresh: [] };
  return {
    rows: list.rows.map((row) => byKey.get(checkpointKey(row)) ?? row),
    gone: new Set([...shown].filter((key) => !byKey.has(key))),
    fresh,
  };
}

/** Returns the list without the rows that no longer wait, and with the new ones. */
export function refreshList({ rows, gone, fresh }: StableList): StableList {
  const left = rows.filter((row) => !gone.has(checkpointKey(row)));
  return { rows: [...left, ...fresh], gone: new Set(), fresh: [] };
}
