import { mkdir, symlink } from 'node:fs/promises';
import { createReader } from '@workflowlookup/schema';
import { describe, expect, it } from 'vitest';
import { readDefinitionFile } from '../src/files/read-definition.ts';
import { definition } from './support/definitions.ts';
import { tempFolder } from './support/temp-folder.ts';

const reading = { read: createReader(), warnings: false };

describe('a definition file that changes between being found and being read', () => {
  it('is a problem to be tried again when it is gone', async () => {
    const folder = await tempFolder();
    const outcome = await readDefinitionFile(
      { path: folder.path('workflows/x.json'), file: 'x.json' },
      reading,
    );
    expect(outcome).toMatchObject({
      mayRecover: true,
      problem: { id: 'x', file: 'x.json', code: 'SOURCE_UNREADABLE' },
    });
    expect(outcome.workflow).toBeUndefined();
  });

  it('is a problem when a folder has taken its place', async () => {
    const folder = await tempFolder();
    await mkdir(folder.path('workflows/x.json'));
    const { problem } = await readDefinitionFile(
      { path: folder.path('workflows/x.json'), file: 'x.json' },
      reading,
    );
    expect(problem?.issues).toMatchObject([{ code: 'unreadable-file' }]);
  });

  it.each([
    ['the file', 'x.json', 'x.json', 'outside/x.json'],
    ['a folder on the way', 'sub', 'sub/x.json', 'outside'],
  ])('is not read when a link has taken the place of %s', async (_, link, file, target) => {
    const folder = await tempFolder();
    await folder.write('outside/x.json', definition('secret-flow'));
    await symlink(folder.path(target), folder.path('workflows', link));
    const read = (): never => {
      throw new Error('nothing may be read');
    };
    const path = folder.path('workflows', file);
    const outcome = await readDefinitionFile({ path, file }, { read, warnings: false });
    expect(outcome).toMatchObject({ mayRecover: true, problem: { id: 'x', code: 'SOURCE_UNREADABLE' } });
  });
});
