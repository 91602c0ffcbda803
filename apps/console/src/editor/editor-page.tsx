import type { ReactNode } from 'react';
import { Page } from '../shell/page.tsx';

/** A file of a definition, read and written. */
export function EditorPage(): ReactNode {
  return <Page title="Editor">{null}</Page>;
}
