import { ProtocolError } from '@modelcontextprotocol/server';

const pageSize = 200;
const prefix = 'after:';

/** One page of things sorted by id, and where the next begins. */
export interface IdPage<T> {
  readonly items: readonly T[];
  readonly isFirst: boolean;
  /** To spread into a result: empty on the last page. */
  readonly next: { readonly nextCursor?: string };
}

/**
 * Cuts a page out of things sorted by id; an empty cursor is the first page.
 *
 * @throws ProtocolError -32602 for a cursor no page gave
 */
export function pageOf<T extends { readonly id: string }>(
  all: readonly T[],
  cursor: string | undefined,
): IdPage<T> {
  if (cursor !== undefined && cursor !== '' && !cursor.startsWith(prefix)) {
    throw new ProtocolError(-32602, 'Invalid params', {
      details: "cursor must be the 'nextCursor' of an earlier page",
    });
  }
  const isFirst = cursor === undefined || cursor === '';
  const after = isFirst ? '' : cursor.slice(prefix.length);
  const from = all.findIndex(({ id }) => id > after);
  const items = from < 0 ? [] : all.slice(from, from + pageSize);
  const last = items.at(-1);
  const more = last !== undefined && last !== all.at(-1);
  return { items, isFirst, next: more ? { nextCursor: prefix + last.id } : {} };
}
