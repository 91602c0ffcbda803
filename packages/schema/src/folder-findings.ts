import type { FileFinding } from './file-finding.ts';
import type { Issue } from './issue.ts';
import type { Found, ParsedText } from './parsed-text.ts';
import { capped, placed } from './place-findings.ts';

/** A file whose findings are collected. */
interface Entry {
  readonly text: string;
  readonly locator: ParsedText['locator'];
  readonly findings: Found[];
}

/** The findings of a folder, file by file. */
export interface FolderFindings {
  /** Adds a file that was read, and what was found in it. */
  readonly addFile: (
    file: string,
    read: Omit<Entry, 'findings'> & { readonly findings: readonly Found[] },
  ) => void;
  /** Adds findings in files that were added. */
  readonly add: (findings: Iterable<FileFinding>) => void;
  /** Whether a file has an error that keeps it from being used. */
  readonly isBroken: (file: string) => boolean;
  readonly place: () => Promise<ReadonlyMap<string, readonly Issue[]>>;
}

/** Starts a collection. */
export function collectFindings(): FolderFindings {
  const entries = new Map<string, Entry>();
  return {
    addFile: (file, { text, locator, findings }) =>
      void entries.set(file, { text, locator, findings: [...findings] }),
    add: (findings) => {
      for (const { file, ...finding } of findings) entries.get(file)?.findings.push(finding);
    },
    isBroken: (file) =>
      entries.get(file)?.findings.some(({ severity, served }) => severity === 'error' && served !== true) ??
      false,
    place: async () => {
      const issues = new Map<string, readonly Issue[]>();
      for (const [file, { text, findings, ...parsed }] of entries) {
        if (findings.length > 0) issues.set(file, await placed(capped(findings), parsed, text));
      }
      return issues;
    },
  };
}
