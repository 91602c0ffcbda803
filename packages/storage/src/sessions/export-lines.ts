import type { Json, JsonObject } from '@workflowlookup/schema';
import type { JournalEvent, SessionRow } from '../session-store.ts';

/** The layout of an export; a reader refuses another. */
export const exportFormat = 1;

/** The first line of an export. */
export interface HeaderLine {
  readonly kind: 'session';
  readonly format: typeof exportFormat;
  readonly session: SessionRow;
  readonly definition: JsonObject;
  /** In the order they joined. */
  readonly agents: readonly string[];
  /** When and by whom it was exported. */
  readonly exported?: ExportMark;
}

/** When and by whom a session was exported. */
export interface ExportMark {
  /** ISO 8601. */
  readonly at: string;
  readonly by: string;
}

/** The last line of an export: without it, something is missing. */
export interface EndLine {
  readonly kind: 'end';
  readonly events: number;
  readonly calls: number;
  readonly blobs: number;
  /** Over all lines before, by the key of the server that exported them; absent where the session does not authenticate, or something else is wrong with it. */
  readonly seal?: string;
}

/** A line of an export: the header, then events, calls and blobs, then the end. */
export type ExportLine =
  | HeaderLine
  | { readonly kind: 'event'; readonly event: JournalEvent }
  | { readonly kind: 'call'; readonly call: JsonObject }
  | { readonly kind: 'blob'; readonly digest: string; readonly value: Json }
  | EndLine;
