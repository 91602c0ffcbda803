import { rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { DefinitionReader } from '@workflowlookup/schema';
import { createReader, summarize } from '@workflowlookup/schema';
import type { WorkflowStore } from '@workflowlookup/storage';
import type { FilesStore, FilesStoreOptions } from '@workflowlookup/storage/files';
import { createFilesStore } from '@workflowlookup/storage/files';
import type { MakeWorkflowStore } from '@workflowlookup/storage/testing';
import { expect, onTestFinished } from 'vitest';
import { definition } from './definitions.ts';
import type { TempFolder } from './temp-folder.ts';
import { tempFolder } from './temp-folder.ts';

/** Options for `expect.poll`: how often it checks the condition. */
export const patience = { interval: 10 };

/** A reader that records what it reads. */
export interface WatchedReader {
  readonly read: DefinitionReader;
  readonly texts: string[];
}

export function watchedReader(): WatchedReader {
  const read = createReader();
  const texts: string[] = [];
  return {
    texts,
    read(source) {
      texts.push(source.text);
      return read(source);
    },
  };
}

/** Opens a store over the source of a folder, and closes it after the test. */
export function openStore(folder: TempFolder, more: Partial<FilesStoreOptions> = {}): FilesStore {
  const store = createFilesStore({ directory: folder.source, read: createReader(), ...more });
  onTestFinished(() => store.close());
  return store;
}

/** Returns a function that makes files stores for the contract tests. `updates` says how a store notices changes. */
export function makeFilesStore(updates: 'events' | 'poll'): MakeWorkflowStore {
  return async (definitions) => {
    const folder = await tempFolder();
    for (const body of definitions) await folder.write(`workflows/${body.id}.json`, body);
    return {
      store: createFilesStore({ directory: folder.source, read: createReader(), updates }),
      put: (body) => folder.write(`workflows/${body.id}.json`, body),
      remove: (id) => rm(folder.path('workflows', `${id}.json`)),
      spoil: (id) => folder.write(`workflows/${id}.json`, `{"id":"${id}",`),
    };
  };
}

export async function idsOf(store: FilesStore): Promise<string[]> {
  return (await store.list()).map(({ id }) => id);
}

export async function nameOf(store: WorkflowStore, id: string): Promise<string | undefined> {
  const workflow = await store.get(id);
  return workflow && summarize(workflow).name;
}

/** Returns problems in the form `severity code id file`. */
export async function problemsOf(store: FilesStore): Promise<string[]> {
  const problems = await store.problems();
  return problems.map(({ severity, code, id, file }) => `${severity} ${code} ${id} ${file}`);
}

/** Returns the codes of the issues in one file. */
export async function issueCodesOf(store: FilesStore, file: string): Promise<string[]> {
  const problem = (await store.problems()).find((candidate) => candidate.file === file);
  return problem?.issues.map(({ code }) => code) ?? [];
}

/** Waits until a store serves exactly these ids. */
export async function expectIds(store: FilesStore, ids: readonly string[]): Promise<void> {
  await expect.poll(() => idsOf(store), patience).toEqual(ids);
}

/** Waits for the scan that follows the opening of watchers, so that a test sees the effect of events only. */
export async function quiet(): Promise<void> {
  await setTimeout(250);
}

/** Opens and watches a source with these ids, each in a file of its own. */
export async function served(...ids: readonly string[]): Promise<{ folder: TempFolder; store: FilesStore }> {
  const folder = await tempFolder();
  for (const id of ids) await folder.write(`workflows/${id}.json`, definition(id));
  const store = openStore(folder);
  expect(await idsOf(store)).toEqual(ids);
  await quiet();
  return { folder, store };
}
