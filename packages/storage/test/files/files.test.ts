import { execFileSync } from 'node:child_process';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { DefinitionReader } from '@workflowlookup/schema';
import { createFolderReader, createReader } from '@workflowlookup/schema';
import { describe, expect, it } from 'vitest';
import { definition } from '../support/definitions.ts';
import { idsOf, issueCodesOf, openStore, problemsOf, watchedReader } from '../support/files-store.ts';
import { tempFolder } from '../support/temp-folder.ts';

const updates = 'off';

describe('the files of a directory', () => {
  it('are read as JSON or YAML, depending on their extension', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/a.json', definition('aaa'));
    const yaml = 'id: ID\nname: n\ndescription: d\nversion: 1.0.0\nsteps: [{id: s-1, title: t, prompt: p}]\n';
    await folder.write('workflows/b.yaml', yaml.replace('ID', 'bbb'));
    await folder.write('workflows/c.yml', yaml.replace('ID', 'ccc'));
    await folder.write('workflows/notes.md', '# Notes');
    await folder.write('workflows/d.json.bak', definition('ddd'));
    const store = openStore(folder, { updates });
    expect(await idsOf(store)).toEqual(['aaa', 'bbb', 'ccc']);
    expect(await store.problems()).toEqual([]);
  });

  it('are found up to three folders deep, except in dot folders, dot files and node_modules', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/1/2/3/in.json', definition('deep'));
    await folder.write('workflows/1/2/3/4/out.json', definition('too-deep'));
    await folder.write('workflows/.git/out.json', definition('dot-folder'));
    await folder.write('workflows/.out.json', definition('dot-file'));
    await folder.write('workflows/node_modules/x/out.json', definition('module'));
    const store = openStore(folder, { updates });
    expect(await idsOf(store)).toEqual(['deep']);
    expect(await store.fileOf('deep')).toBe('1/2/3/in.json');
    expect(await store.problems()).toEqual([]);
  });

  it.each(['\u202E', '\u001B[2J', '\n', '\u{E0041}', '\uE000'])(
    'are not opened if their name has hidden characters: %j',
    async (char) => {
      const folder = await tempFolder();
      const activity = 'id: work\nversion: 1.0.0\nname: Work\n';
      await folder.write('workflows/a.json', definition('aaa'));
      await folder.write(`workflows/b${char}.json`, definition('bbb'));
      await folder.write(`workflows/c${char}/c.json`, definition('ccc'));
      await folder.write('workflows/flow/workflow.yaml', 'id: flow\nversion: 1.0.0\ntitle: Flow\n');
      await folder.write('workflows/flow/activities/01-work.yaml', activity);
      await folder.write(`workflows/flow/activities/02-d${char}.yaml`, activity);
      await folder.write(`workflows/notes${char}.txt`, '');
      await symlink('a.json', folder.path(`workflows/e${char}.json`));
      const store = openStore(folder, { updates, readFolder: createFolderReader() });
      expect(await idsOf(store)).toEqual(['aaa']);
      const problems = await store.problems();
      const shown = `\\u{${char.codePointAt(0)?.toString(16)}}`;
      const found = problems.map(({ file, issues }) => `${file.replace('[2J', '')} ${issues[0]?.code}`);
      expect(found).toEqual([
        `b${shown}.json hidden-character`,
        `c${shown} hidden-character`,
        `e${shown}.json hidden-character`,
        `flow/activities/02-d${shown}.yaml hidden-character`,
        'flow/workflow.yaml file-name',
      ]);
      const texts = problems.flatMap(({ id, file, issues }) => [
        id,
        file,
        ...issues.map(({ message }) => message),
      ]);
      expect(texts.join(' ')).not.toContain(char);
    },
  );

  it('do not include the tests of workflows beside them', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/a.json', definition('aaa'));
    for (const file of ['a.test.json', 'a.test.yaml', 'b/c.test.yml', 'workflow.test.yaml'])
      await folder.write(`workflows/${file}`, '{ "tests": [] }');
    const store = openStore(folder, { updates });
    expect(await idsOf(store)).toEqual(['aaa']);
    expect(await store.problems()).toEqual([]);
  });

  it('are an empty list if the directory is missing', async () => {
    const folder = await tempFolder();
    await rm(folder.source, { recursive: true });
    const store = openStore(folder, { updates });
    expect(await store.list()).toEqual([]);
    expect(await store.problems()).toEqual([]);
  });

  it('are a problem of the source if the directory is a file', async () => {
    const folder = await tempFolder();
    await folder.write('file', 'text');
    const store = openStore(folder, { updates, directory: folder.path('file') });
    expect(await store.list()).toEqual([]);
    expect(await problemsOf(store)).toEqual(['error SOURCE_UNREADABLE file .']);
    expect(await issueCodesOf(store, '.')).toEqual(['unreadable-file']);
  });

  it('are a problem of the source if the directory is a circular link', async () => {
    const folder = await tempFolder();
    await symlink('round', folder.path('round'));
    const store = openStore(folder, { updates, directory: folder.path('round') });
    expect(await problemsOf(store)).toEqual(['error SOURCE_UNREADABLE round .']);
  });

  // Each of them takes memory until it is checked.
  it('are read at most eight at once', async () => {
    const folder = await tempFolder();
    const names = Array.from({ length: 20 }, (_, at) => `flow-${at}`);
    for (const name of names) await folder.write(`workflows/${name}.json`, definition(name));
    const reader = createReader();
    let inProgress = 0;
    let most = 0;
    const read: DefinitionReader = async (source) => {
      inProgress += 1;
      most = Math.max(most, inProgress);
      // Meanwhile, other files could be opened.
      for (let turn = 0; turn < 50; turn += 1) await setImmediate();
      inProgress -= 1;
      return reader(source);
    };
    expect(await idsOf(openStore(folder, { read, updates: 'off' }))).toHaveLength(20);
    expect(most).toBeLessThanOrEqual(8);
    // On a busy machine, some of them are not opened yet.
    expect(most).toBeGreaterThan(1);
  });
});

describe('a folder with a workflow file in a store that does not read folders', () => {
  it.each(['workflow.json', 'workflow.yaml', 'workflow.yml', 'workflow.toon'])(
    'is left out completely, with an issue: %s',
    async (name) => {
      const folder = await tempFolder();
      await folder.write(`workflows/flows/deploy/${name}`, '{}');
      await folder.write('workflows/flows/deploy/activities/01-build.json', definition('build'));
      await folder.write('workflows/flows/other.json', definition('other'));
      const store = openStore(folder, { updates });
      expect(await idsOf(store)).toEqual(['other']);
      const file = `flows/deploy/${name}`;
      expect(await problemsOf(store)).toEqual([`warning INVALID_WORKFLOW deploy ${file}`]);
      expect(await issueCodesOf(store, file)).toEqual(['not-a-definition']);
    },
  );

  it('is not the source folder itself', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/workflow.json', definition('plain'));
    const store = openStore(folder, { updates });
    expect(await idsOf(store)).toEqual(['plain']);
    expect(await store.problems()).toEqual([]);
  });
});

describe('a file that cannot be served', () => {
  it('is reported under its id, with the position of the error', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/sub/file.json', { ...definition('named'), bogus: 1 });
    const store = openStore(folder, { updates });
    expect(await store.get('named')).toBeUndefined();
    const [problem] = await store.problems();
    expect(problem).toMatchObject({
      id: 'named',
      file: 'sub/file.json',
      severity: 'error',
      code: 'INVALID_WORKFLOW',
      issues: [{ severity: 'error', pointer: '/bogus', line: 1 }],
    });
  });

  it('is reported under its base name if it has no id', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/broken.v2.json', '{"id":"brok');
    expect(await problemsOf(openStore(folder, { updates }))).toEqual([
      'error INVALID_WORKFLOW broken.v2 broken.v2.json',
    ]);
  });

  it('is not read if it is larger than 1 MiB', async () => {
    const folder = await tempFolder();
    const text = JSON.stringify(definition('full'));
    await folder.write('workflows/full.json', text.padEnd(1_048_576));
    await folder.write('workflows/huge.json', text.padEnd(1_048_577));
    const { read, texts } = watchedReader();
    const store = openStore(folder, { updates, read });
    expect(await idsOf(store)).toEqual(['full']);
    expect(await problemsOf(store)).toEqual(['error INVALID_WORKFLOW huge huge.json']);
    expect(await issueCodesOf(store, 'huge.json')).toEqual(['beyond-limits']);
    expect(texts).toHaveLength(1);
  });

  it('is reported if it is not UTF-8', async () => {
    const folder = await tempFolder();
    const bytes = Buffer.from(JSON.stringify(definition('latin', { name: 'Caf_' })));
    bytes[bytes.indexOf('_')] = 0xe9;
    await folder.write('workflows/latin.json', bytes);
    await folder.write('workflows/marked.json', `\uFEFF${JSON.stringify(definition('marked'))}`);
    const store = openStore(folder, { updates });
    expect(await idsOf(store)).toEqual(['marked']);
    expect(await issueCodesOf(store, 'latin.json')).toEqual(['unreadable-file']);
  });

  it.skipIf(process.platform === 'win32')(
    'is reported if it is a pipe, without waiting for data',
    async () => {
      const folder = await tempFolder();
      execFileSync('mkfifo', [folder.path('workflows/pipe.json')]);
      await folder.write('workflows/good.json', definition('good'));
      const store = openStore(folder, { updates });
      expect(await idsOf(store)).toEqual(['good']);
      expect(await issueCodesOf(store, 'pipe.json')).toEqual(['unreadable-file']);
    },
  );

  it('is reported if the reader throws an error', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/bad.json', definition('bad'));
    await folder.write('workflows/good.json', definition('good'));
    const read = createReader();
    const store = openStore(folder, {
      updates,
      read: async (source) => {
        if (source.text.includes('"bad"'))
          throw Object.assign(new RangeError(`overflow in ${folder.source}`), { code: 'ENOENT' });
        return read(source);
      },
    });
    expect(await idsOf(store)).toEqual(['good']);
    expect(await problemsOf(store)).toEqual(['error INVALID_WORKFLOW bad bad.json']);
    expect(await issueCodesOf(store, 'bad.json')).toEqual(['unreadable-file']);
  });

  it('is reported without the path of the source', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/broken.json', '{');
    await folder.write('workflows/sub/workflow.json', '{}');
    await folder.write('workflows/latin.json', new Uint8Array([0xff]));
    await folder.write('workflows/huge.json', ' '.repeat(1_100_000));
    await folder.write('outside.json', definition('outside'));
    await symlink(folder.path('outside.json'), folder.path('workflows/leak.json'));
    await symlink('nowhere', folder.path('workflows/gone.json'));
    await symlink('round.json', folder.path('workflows/round.json'));
    const problems = await openStore(folder, { updates }).problems();
    expect(problems).toHaveLength(7);
    expect(JSON.stringify(problems)).not.toContain(folder.path());
  });
});

describe('a file that is served although it has errors', () => {
  it('causes a warning that lists only the errors', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/half.json', definition('half', { name: 'Half' }));
    const finding = { code: 'x-test', pointer: '/name', message: 'Half' } as const;
    const read = createReader({
      checks: [
        () => [
          { ...finding, severity: 'error', served: true },
          { ...finding, severity: 'warning' },
        ],
      ],
    });
    const store = openStore(folder, { updates, read });
    expect(await idsOf(store)).toEqual(['half']);
    expect(await problemsOf(store)).toEqual(['warning INVALID_WORKFLOW half half.json']);
    expect((await store.problems())[0]?.issues.map(({ severity }) => severity)).toEqual(['error']);
  });

  it('causes no problem for lint warnings', async () => {
    const folder = await tempFolder();
    const { version: _, ...unversioned } = definition('plain');
    await folder.write('workflows/plain.json', unversioned);
    const store = openStore(folder, { updates });
    expect(await idsOf(store)).toEqual(['plain']);
    expect(await store.problems()).toEqual([]);
  });
});

describe('an id that two files have', () => {
  it('is not served, and the issue of each file names the other', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/a.json', definition('same'));
    await folder.write('workflows/sub/b.json', definition('same', { name: 'Other' }));
    const store = openStore(folder, { updates });
    expect(await store.get('same')).toBeUndefined();
    expect(await store.list()).toEqual([]);
    expect(await problemsOf(store)).toEqual([
      'error INVALID_WORKFLOW same a.json',
      'error INVALID_WORKFLOW same sub/b.json',
    ]);
    expect(await issueCodesOf(store, 'a.json')).toEqual(['duplicate-id']);
    expect(await issueCodesOf(store, 'sub/b.json')).toEqual(['duplicate-id']);
  });

  it('is refused even if one of the files is broken, and its own errors are listed too', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/a.json', definition('same'));
    await folder.write('workflows/b.json', { ...definition('same'), bogus: 1 });
    const store = openStore(folder, { updates });
    expect(await store.get('same')).toBeUndefined();
    expect(await issueCodesOf(store, 'a.json')).toHaveLength(1);
    expect(await issueCodesOf(store, 'b.json')).toHaveLength(2);
  });

  it('is served if the other file only has it as its base name', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/a.json', definition('same'));
    await folder.write('workflows/same.json', '{');
    const store = openStore(folder, { updates });
    expect(await idsOf(store)).toEqual(['same']);
    expect(await problemsOf(store)).toEqual(['error INVALID_WORKFLOW same same.json']);
  });

  it('is reported with at most five other files', async () => {
    const folder = await tempFolder();
    for (let n = 10; n < 30; n += 1) await folder.write(`workflows/${n}.json`, definition('same'));
    const store = openStore(folder, { updates });
    const problem = (await store.problems()).find(({ file }) => file === '10.json');
    const named = problem?.issues[0]?.message.match(/\d+\.json/g);
    expect(named).toEqual(['11.json', '12.json', '13.json', '14.json', '15.json']);
  });
});

describe('a store without updates', () => {
  it('keeps the answers of its first read', async () => {
    const folder = await tempFolder();
    const file = folder.path('workflows/a.json');
    await folder.write('workflows/a.json', definition('aaa'));
    const store = openStore(folder, { updates });
    expect(await idsOf(store)).toEqual(['aaa']);
    await writeFile(file, JSON.stringify(definition('bbb')));
    const later = openStore(folder, { updates });
    expect(await idsOf(later)).toEqual(['bbb']);
    expect(await idsOf(store)).toEqual(['aaa']);
  });
});
