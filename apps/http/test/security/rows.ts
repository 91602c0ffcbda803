import { accessTokenRows } from './access-tokens.ts';
import { byteRows } from './bytes.ts';
import { consoleRows } from './console-pages.ts';
import { credentialRows } from './credentials.ts';
import { limitRows } from './limits.ts';
import { othersSessionRows } from './others-sessions.ts';
import { pageRows } from './pages.ts';
import type { Row } from './row.ts';

/** The rows of the table in docs/security.md, in the same order. */
export const rows: readonly Row[] = [
  ...pageRows,
  ...credentialRows,
  ...accessTokenRows,
  ...othersSessionRows,
  ...consoleRows,
  ...byteRows,
  ...limitRows,
];
