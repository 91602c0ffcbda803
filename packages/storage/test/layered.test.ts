import { createReader, WorkflowError } from '@workflowlookup/schema';
import type { WorkflowChange, WorkflowStore } from '@workflowlookup/storage';
import { createFilesStore } from '@workflowlookup/storage/files';
import type { LayeredStore } from '@workflowlookup/storage/layered';
import { createLayeredStore } from '@workflowlookup/storage/layered';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, it } from 'vitest';
import { definition, workflow } from './support/definitions.ts';
import { nameOf } from './support/files-store.ts';
import { tempFolder } from './support/temp-folder.ts';
import { fileMessages } from '../src/messages.ts';

/** Makes a layer for each folder of files, lowest first. */
async function layersOf(
  files: Readonly<Record<string, Readonly<Record<string, string | object>>>>,
): Promise<LayeredStore> {
  const folder = await tempFolder();
  const layers = [];
  for (const [name, contents] of Object.entries(files)) {
    for (const [file, content] of Object.entries(contents)) await folder.write(`${name}/${file}`, content);
    const store = createFilesStore({ directory: folder.path(name), read: createReader(), updates: 'off' });
    layers.push({ name, store });
  }
  return createLayeredStore(layers);
}

const brokenStore: WorkflowStore = {
  list: () => Promise.reject(Object.assign(new Error('EIO at /secret/place'), { code: 'EIO' })),
  get: () => Promise.reject(new Error('EIO at /secret/place')),
  problems: () => Promise.reject(new Error('EIO at /secret/place')),
  watch: () => () => undefined,
  close: () => Promise.resolve(),
};

describe('layers', () => {
  it('replace an id of a lower layer, and add their own ids', async () => {
    const store = await layersOf({
      lower: { 'a.json': definition('aaa', { name: 'lower' }), 'b.json': definition('bbb') },
      upper: { 'z.json': definition('aaa', { name: 'upper' }), 'c.json': definition('ccc') },
    });
    expect((await store.list()).map(({ id }) => id)).toEqual(['aaa', 'bbb', 'ccc']);
    expect((await store.list())[0]?.name).toBe('upper');
    expect(await nameOf(store, 'aaa')).toBe('upper');
    expect(await store.problems()).toEqual([]);
  });

  it('say where a workflow comes from', async () => {
    const store = await layersOf({
      lower: { 'a.json': definition('aaa'), 'sub/b.json': definition('bbb') },
      upper: { 'z.json': definition('aaa') },
    });
    expect(await store.origin('aaa')).toEqual({ source: 'upper', file: 'z.json' });
    expect(await store.origin('bbb')).toEqual({ source: 'lower', file: 'sub/b.json' });
    expect(await store.origin('nope')).toBeUndefined();
    expect(await store.sources()).toEqual([
      {
        name: 'lower',
        count: 2,
        ids: ['bbb'],
        overridden: ['aaa'],
        files: new Map([
          ['aaa', 'a.json'],
          ['bbb', 'sub/b.json'],
        ]),
        problems: [],
        untrusted: [],
      },
      {
        name: 'upper',
        count: 1,
        ids: ['aaa'],
        overridden: [],
        files: new Map([['aaa', 'z.json']]),
        problems: [],
        untrusted: [],
      },
    ]);
  });

  it('hide an id of a lower layer with a broken file instead of serving the older workflow', async () => {
    const store = await layersOf({
      lower: { 'a.json': definition('aaa') },
      middle: { 'a.json': definition('aaa') },
      upper: { 'aaa.json': '{' },
    });
    expect(await store.get('aaa')).toBeUndefined();
    expect(await store.list()).toEqual([]);
    expect(await store.origin('aaa')).toBeUndefined();
    expect(await store.problems()).toMatchObject([{ id: 'aaa', file: 'aaa.json', severity: 'error' }]);
    const sources = await store.sources();
    expect(sources.map(({ overridden }) => overridden)).toEqual([['aaa'], ['aaa'], []]);
    expect(sources.map(({ problems }) => problems.map(({ file }) => file))).toEqual([[], [], ['aaa.json']]);
  });

  it('replace a broken file of a lower layer, which remains a warning', async () => {
    const store = await layersOf({
      lower: { 'aaa.json': '{' },
      upper: { 'a.json': definition('aaa', { name: 'upper' }) },
    });
    expect(await nameOf(store, 'aaa')).toBe('upper');
    expect(await store.problems()).toMatchObject([{ id: 'aaa', file: 'aaa.json', severity: 'warning' }]);
  });

  it('refuse an id with the problem of the highest layer', async () => {
    const store = await layersOf({ lower: { 'aaa.json': '{' }, upper: { 'sub/aaa.json': '{' } });
    expect(await store.problems()).toMatchObject([
      { id: 'aaa', file: 'aaa.json', severity: 'warning' },
      { id: 'aaa', file: 'sub/aaa.json', severity: 'error' },
    ]);
  });

  it('do not hide a workflow because of a warning in a higher layer', async () => {
    const store = await layersOf({
      lower: { 'a.json': definition('deploy') },
      upper: { 'deploy/workflow.yaml': '' },
    });
    expect((await store.get('deploy'))?.id).toBe('deploy');
  });

  it('work without a layer that throws an error, which is reported without secrets', async () => {
    const lower = createMemoryStore([workflow(definition('aaa'))]);
    const store = createLayeredStore([
      { name: 'lower', store: lower },
      { name: 'upper', store: brokenStore },
    ]);
    expect((await store.list()).map(({ id }) => id)).toEqual(['aaa']);
    expect((await store.get('aaa'))?.id).toBe('aaa');
    const problems = await store.problems();
    expect(problems).toMatchObject([
      { id: 'upper', file: '.', severity: 'error', code: 'SOURCE_UNREADABLE' },
    ]);
    expect(problems[0]?.issues).toMatchObject([
      { code: 'unreadable-file', message: fileMessages.sourceFailed('upper', 'EIO').message },
    ]);
  });

  it('call a layer that threw an error again at the next call', async () => {
    const inner = createMemoryStore([workflow(definition('aaa'))]);
    let isDown = true;
    const list: WorkflowStore['list'] = async () => {
      if (isDown) throw new WorkflowError('STORE_UNAVAILABLE', 'The disk is away');
      return inner.list();
    };
    const store = createLayeredStore([{ name: 'disk', store: { ...inner, list } }]);
    expect(await store.list()).toEqual([]);
    expect((await store.problems())[0]?.issues[0]?.message).toBe(
      fileMessages.sourceFailed('disk', 'The disk is away').message,
    );
    isDown = false;
    expect(await store.list()).toHaveLength(1);
    expect(await store.problems()).toEqual([]);
  });

  it('refuse a workflow if its layer throws an error', async () => {
    const inner = createMemoryStore([workflow(definition('aaa'))]);
    const store = createLayeredStore([{ name: 'disk', store: { ...inner, get: brokenStore.get } }]);
    await expect(store.get('aaa')).rejects.toMatchObject({
      code: 'SOURCE_UNREADABLE',
      data: { workflowId: 'aaa', source: 'disk' },
    });
  });

  it('forward the changes of lower layers, and show a lower workflow again if the higher one is removed', async () => {
    const lower = createMemoryStore([workflow(definition('aaa', { name: 'lower' }))]);
    const upper = createMemoryStore([workflow(definition('aaa', { name: 'upper' }))]);
    const store = createLayeredStore([
      { name: 'lower', store: lower },
      { name: 'upper', store: upper },
    ]);
    const changes: WorkflowChange[] = [];
    store.watch((change) => changes.push(change));
    expect(await nameOf(store, 'aaa')).toBe('upper');
    upper.delete('aaa');
    expect(await nameOf(store, 'aaa')).toBe('lower');
    expect(await store.origin('aaa')).toEqual({ source: 'lower' });
    expect(changes).toEqual([['aaa']]);
  });

  it('can be an empty list', async () => {
    const store = createLayeredStore([]);
    expect([await store.list(), await store.problems(), await store.sources()]).toEqual([[], [], []]);
    await store.close();
  });
});
