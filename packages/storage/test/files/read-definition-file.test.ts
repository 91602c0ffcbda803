import { mkdir, symlink } from 'node:fs/promises';
import { createReader } from '@workflowlookup/schema';
import { describe, expect, it } from 'vitest';
import { readDefinitionFile } from '../../src/files/read-definition.ts';
import { definition } from '../support/definitions.ts';
import { tempFolder } from '../support/temp-folder.ts';

const reading = { read: createReader(), warnings: false };

describe('a definition file that changes after it was found and before it is read', () => {
  it('is reported as a temporary problem if it was removed', async () => {
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

  it('is reported if it was replaced by a folder', async () => {
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
  ])('is not read if a link has replaced %s', async (_, link, file, target) => {
    const folder = await tempFolder();
    await folder.write('outside/x.json', definition('secret-flow'));
    await symlink(folder.path(target), folder.path('workflows', link));
    const read = (): never => {
      throw new Error('The file must not be read');
    };
    const path = folder.path('workflows', file);
    const outcome = await readDefinitionFile({ path, file }, { read, warnings: false });
    expect(outcome).toMatchObject({ mayRecover: true, problem: { id: 'x', code: 'SOURCE_UNREADABLE' } });
  });
});
