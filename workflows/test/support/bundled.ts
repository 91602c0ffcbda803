import { readdir, readFile } from 'node:fs/promises';
import { checkConditions } from '@workflowlookup/conditions';
import type { Reading } from '@workflowlookup/schema';
import { createReader } from '@workflowlookup/schema';
import { checkCriteria } from '@workflowlookup/validation';

const folder = new URL('../../definitions/', import.meta.url);

/** Reads step workflows with every check. */
const read = createReader({ checks: [checkConditions, checkCriteria] });

/** A bundled file and the result of reading it. */
export interface BundledFile {
  readonly file: string;
  readonly reading: Reading;
}

let bundled: Promise<readonly BundledFile[]> | undefined;

/** Reads every bundled step workflow once, sorted by file name. */
export function readBundled(): Promise<readonly BundledFile[]> {
  return (bundled ??= readAll());
}

async function readAll(): Promise<readonly BundledFile[]> {
  const files = (await readdir(folder)).filter((name) => /^[^.]+\.yaml$/.test(name)).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8');
      return { file, reading: await read({ text, format: 'yaml' }) };
    }),
  );
}
