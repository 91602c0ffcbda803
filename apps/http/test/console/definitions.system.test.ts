import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  Catalogue,
  Check,
  DefinitionText,
  Judged,
  Saved,
  DryRun,
  Trial,
  WorkflowDetail,
} from '@workflowlookup/console/contract';
import { expect, test } from 'vitest';
import type { TestService } from '../support/service.ts';
import { openService } from '../support/service.ts';
import type { Browser } from '../support/browser.ts';
import { openKeyBrowser, openLocalBrowser } from '../support/browser.ts';

const file = 'review-flow.json';
const source = 'custom-1';

/** Opens a server with a writable source, and the browser of a user who may save to it. */
async function openEditor(): Promise<{ service: TestService; browser: Browser; kept: DefinitionText }> {
  const first = openService();
  const service = openService('--workflows', first.definitions, '--writable', first.definitions);
  const browser = await openLocalBrowser(service);
  const { sources } = await browser.read<Catalogue>('/workflows');
  const { name = '' } = sources.find(({ isWritable }) => isWritable) ?? {};
  const kept = await browser.read<DefinitionText>(`/text?source=${name}&file=${file}`);
  return { service: { ...service, definitions: first.definitions }, browser, kept };
}

test('The catalogue shows where each workflow comes from, and the position of each problem', async () => {
  const service = openService();
  writeFileSync(join(service.definitions, 'broken.json'), '{\n  "id": "broken",\n  "steps": 1\n}');
  const { workflows, problems, sources } = await (
    await openLocalBrowser(service)
  ).read<Catalogue>('/workflows');
  expect(workflows).toMatchObject([{ id: 'review-flow', kind: 'steps', source, overrides: [] }]);
  expect(problems).toMatchObject([{ id: 'broken', file: 'broken.json', source, severity: 'error' }]);
  expect(problems[0]?.issues.find(({ pointer }) => pointer === '/steps')).toMatchObject({ line: 3 });
  expect(sources).toEqual([
    { name: source, isWritable: false, workflows: 1, directory: service.definitions },
  ]);
});

test('A workflow has its outline, its diagram and its files', async () => {
  const browser = await openLocalBrowser(openService());
  const detail = await browser.read<WorkflowDetail>('/workflows/review-flow');
  expect(detail).toMatchObject({ source, isWritable: false, files: [{ file, notation: 'json' }] });
  expect(detail.outline.steps).toHaveLength(2);
  expect(detail.graph.nodes.map(({ ref }) => ref)).toContain('read-it');
  expect((await browser.get('/workflows/none')).status).toBe(404);
});

test('Only the local user sees paths of this machine', async () => {
  const service = openService('--auth', 'keys');
  const key = await service.key({ principal: 'team-a', scopes: ['read'] });
  const browser = await openKeyBrowser(service, key);
  for (const path of ['/workflows', '/health', `/text?source=${source}&file=${file}`])
    expect(await (await browser.get(path)).text()).not.toContain(service.definitions);
});

test('A text is checked while it is written, with the positions of its problems', async () => {
  const browser = await openLocalBrowser(openService());
  const draft = { source, file, text: '{\n  "id": "review-flow",\n  "steps": 1\n}' };
  const bad = await browser.write<Check>('POST', '/check', draft);
  expect(bad.isUsable).toBe(false);
  expect(bad.problems.find(({ pointer }) => pointer === '/steps')).toMatchObject({ line: 3, column: 12 });
  const { text } = await browser.read<DefinitionText>(`/text?source=${source}&file=${file}`);
  const good = await browser.write<Check>('POST', '/check', { ...draft, text });
  expect(good).toMatchObject({ isUsable: true, outline: { id: 'review-flow' } });
});

test('The position of a value is found in each format, and the nearest one if the value does not exist', async () => {
  const browser = await openLocalBrowser(openService());
  const find = (notation: string, text: string, pointer: string) =>
    browser.write('POST', '/position', { notation, text, pointer });
  const yaml = 'id: plan\nsteps:\n  - id: one\n  - id: two\n';
  expect(await find('yaml', yaml, '/steps/1')).toEqual({ line: 4, column: 5 });
  expect(await find('yaml', yaml, '/steps/7')).toMatchObject({ line: 3 });
  expect(await find('json', '{\n  "steps": [\n    {}\n  ]\n}', '/steps/0')).toEqual({ line: 3, column: 5 });
  expect(await find('toon', 'id: plan\nsteps[2]{id}:\n  one\n  two\n', '/steps/1')).toMatchObject({
    line: 4,
  });
  expect(await find('json', '{', 'nothing')).toMatchObject({ line: 1 });
  const asked = { notation: 'markdown', text: '', pointer: '' };
  expect((await browser.send('POST', '/position', asked)).status).toBe(400);
});

test('The outline and the check of a workflow with several files name the file of each activity', async () => {
  const service = openService();
  const folder = join(service.definitions, 'cider');
  mkdirSync(join(folder, 'activities'), { recursive: true });
  const inline = { id: 'press', version: '1.0.0', name: 'Press', steps: [{ id: 'turn', name: 'Turn' }] };
  const workflow = { id: 'cider', version: '1.0.0', title: 'Cider', activities: [inline] };
  const text = JSON.stringify(workflow);
  writeFileSync(join(folder, 'workflow.json'), text);
  const pick = { ...inline, id: 'pick', name: 'Pick' };
  writeFileSync(join(folder, 'activities', '01-pick.json'), JSON.stringify(pick));
  const browser = await openLocalBrowser(service);
  const activityFiles = [
    { id: 'pick', file: 'activities/01-pick.json', pointer: '' },
    { id: 'press', file: 'workflow.json', pointer: '/activities/0' },
  ];
  expect(await browser.read<WorkflowDetail>('/workflows/cider')).toMatchObject({ activityFiles });
  const draft = { source, file: 'cider/workflow.json', text };
  expect(await browser.write<Check>('POST', '/check', draft)).toMatchObject({ activityFiles });
});

test('A definition is saved and served, and can be saved again only with the digest of its current text', async () => {
  const { service, browser, kept } = await openEditor();
  const text = kept.text.replace('Review a change.', 'Review all of it.');
  const draft = { source: kept.source, file, text, digest: kept.digest };
  const saved = await browser.write<Saved>('PUT', '/text', draft);
  expect(saved).toEqual({ digest: expect.stringMatching(/^[0-9a-f]{64}$/), workflowId: 'review-flow' });
  expect(readFileSync(join(service.definitions, file), 'utf8')).toBe(text);
  const late = await browser.send('PUT', '/text', { ...draft, text: kept.text });
  expect([late.status, await late.json()]).toMatchObject([
    409,
    { code: 'CONFLICT', data: { digest: saved.digest, text } },
  ]);
  expect(readFileSync(join(service.definitions, file), 'utf8')).toBe(text);
});

test('If two people save at the same time, one succeeds and the other gets a conflict', async () => {
  const { service, browser, kept } = await openEditor();
  const texts = ['One.', 'Two.'].map((name) => kept.text.replace('Review a change.', name));
  const responses = await Promise.all(
    texts.map((text) =>
      browser.send('PUT', '/text', { source: kept.source, file, text, digest: kept.digest }),
    ),
  );
  const statuses = responses.map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect(readFileSync(join(service.definitions, file), 'utf8')).toBe(texts[statuses.indexOf(200)]);
});

test('A new definition is saved if the file does not exist', async () => {
  const { service, browser, kept } = await openEditor();
  const text = kept.text.replace('"review-flow"', '"other-flow"');
  const draft = { source: kept.source, file: 'team/other-flow.json', text, digest: null };
  expect(await browser.write('PUT', '/text', draft)).toMatchObject({ workflowId: 'other-flow' });
  expect(readFileSync(join(service.definitions, draft.file), 'utf8')).toBe(text);
  expect((await browser.send('PUT', '/text', draft)).status).toBe(409);
});

test.each([
  'a/b/c/d/deep-flow.json',
  'a/b/c/d/deep-flow/workflow.json',
  'other-flow.test.json',
  'team/other-flow.test.yaml',
  'other-flow.toon',
])('Nothing is saved to %s, where no definition would be found', async (wanted) => {
  const { service, browser, kept } = await openEditor();
  const text = kept.text.replace('"review-flow"', '"other-flow"');
  const refused = await browser.send('PUT', '/text', {
    source: kept.source,
    file: wanted,
    text,
    digest: null,
  });
  expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'FORBIDDEN' }]);
  expect(existsSync(join(service.definitions, wanted))).toBe(false);
});

test('A definition can be saved in the deepest folder that is scanned, and is served', async () => {
  const { browser, kept } = await openEditor();
  const text = kept.text.replace('"review-flow"', '"other-flow"');
  const draft = { source: kept.source, file: 'a/b/c/other-flow.json', text, digest: null };
  await browser.write('PUT', '/text', draft);
  await expect
    .poll(async () => (await browser.read<Catalogue>('/workflows')).workflows.map(({ id }) => id))
    .toContain('other-flow');
});

test('A definition that would not be served is not saved', async () => {
  const { service, browser, kept } = await openEditor();
  const draft = { source: kept.source, file, text: '{"id": "review-flow"}', digest: kept.digest };
  const response = await browser.send('PUT', '/text', draft);
  expect([response.status, await response.json()]).toMatchObject([
    422,
    { code: 'INVALID_WORKFLOW', data: { problems: expect.arrayContaining([expect.anything()]) } },
  ]);
  expect(readFileSync(join(service.definitions, file), 'utf8')).toBe(kept.text);
});

test('A file of an activity workflow is checked and saved with the other files of its folder', async () => {
  const { service, browser, kept } = await openEditor();
  const { source: name } = kept;
  const part = (id: string, ...more: readonly string[]): string =>
    [`id: ${id}`, 'version: 1.0.0', ...more, ''].join('\n');
  mkdirSync(join(service.definitions, 'cider', 'activities'), { recursive: true });
  writeFileSync(join(service.definitions, 'cider', 'workflow.yaml'), part('cider', 'title: Cider'));
  const pick = join('cider', 'activities', '01-pick.yaml');
  writeFileSync(join(service.definitions, pick), part('pick', 'name: Pick', 'transitions: [{to: press}]'));
  const press = { source: name, file: 'cider/activities/02-press.yaml' };
  await expect.poll(async () => (await browser.get('/workflows/cider')).status).toBe(200);
  const wrong = part('press', 'name: Press', 'transitions: [{to: nowhere}]');
  const check = await browser.write<Check>('POST', '/check', { ...press, text: wrong });
  expect(check.problems).toMatchObject([{ line: 4, message: expect.stringContaining('nowhere') }]);
  const broken = { ...press, text: 'id: press\nname: [\n', digest: null };
  expect((await browser.send('PUT', '/text', broken)).status).toBe(422);
  const text = part('press', 'name: Press', 'transitions: [{to: end}]');
  const saved = await browser.write<Saved>('PUT', '/text', { ...press, text, digest: null });
  expect(saved).toMatchObject({ workflowId: 'cider' });
  await expect
    .poll(async () => (await browser.read<WorkflowDetail>('/workflows/cider')).files)
    .toEqual([
      { file: 'cider/workflow.yaml', notation: 'yaml' },
      { file: 'cider/activities/01-pick.yaml', notation: 'yaml' },
      { file: 'cider/activities/02-press.yaml', notation: 'yaml' },
    ]);
});

test('A part of a folder without a workflow file is reported as unusable', async () => {
  const { browser, kept } = await openEditor();
  const draft = {
    source: kept.source,
    file: 'cider/activities/01-pick.yaml',
    text: 'id: pick\nname: Pick\n',
  };
  const { isUsable, problems } = await browser.write<Check>('POST', '/check', draft);
  expect(isUsable).toBe(false);
  expect(problems).not.toEqual([]);
});

test.each([
  '../outside.json',
  'a/../../outside.json',
  '/etc/passwd.json',
  'a\\..\\outside.json',
  '.hidden.json',
  'link/outside.json',
  'linked.json',
  'node_modules/x/package.json',
  'notes.txt',
  'x\0.json',
])('The path %j cannot lead out of a source', async (path) => {
  const { service, browser, kept } = await openEditor();
  const outside = join(service.state, '..');
  mkdirSync(join(outside, 'out'), { recursive: true });
  writeFileSync(join(outside, 'out', 'outside.json'), kept.text);
  symlinkSync(join(outside, 'out'), join(service.definitions, 'link'));
  symlinkSync(join(outside, 'out', 'outside.json'), join(service.definitions, 'linked.json'));
  const asked = new URLSearchParams({ source: kept.source, file: path }).toString();
  expect((await browser.get(`/text?${asked}`)).status).toBe(403);
  for (const digest of [kept.digest, null]) {
    const draft = { source: kept.source, file: path, text: kept.text, digest };
    expect((await browser.send('PUT', '/text', draft)).status).toBe(403);
  }
  expect(readFileSync(join(outside, 'out', 'outside.json'), 'utf8')).toBe(kept.text);
});

/** Opens a server with an activity workflow, a broken definition, and files that belong to no definition. */
async function openBesides(): Promise<{ service: TestService; person: Browser; reader: Browser }> {
  const service = openService('--auth', 'keys');
  const files = {
    'cider/workflow.yaml': 'id: cider\nversion: 1.0.0\ntitle: Cider\n',
    'cider/activities/01-pick.yaml': 'id: pick\nversion: 1.0.0\nname: Pick\ntransitions: [{to: end}]\n',
    'cider/EVIL.md': 'SECRET',
    'cider/other.yaml': 'id: SECRET',
    'cider/notes/x.yaml': 'id: SECRET',
    'cider/workflow.test.yaml': 'id: SECRET',
    'README.md': 'SECRET',
    'deploy/credentials.json': '{"password": "SECRET"}',
    'broken.json': '{"id": "broken", "steps": 1}',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(service.definitions, name, '..'), { recursive: true });
    writeFileSync(join(service.definitions, name), text);
  }
  const read = await service.key({ principal: 'agents', scopes: ['read', 'write'] });
  const all = await service.key({ principal: 'people', scopes: ['read', 'write', 'checkpoints:respond'] });
  return {
    service,
    person: await openKeyBrowser(service, all),
    reader: await openKeyBrowser(service, read),
  };
}

const textAt = (name: string): string => `/text?${new URLSearchParams({ source, file: name }).toString()}`;

test('A file that is a link or not text is refused with the reason', async () => {
  const { service, person } = await openBesides();
  const at = (name: string): string => join(service.definitions, name);
  symlinkSync('01-pick.yaml', at('cider/activities/02-link.yaml'));
  symlinkSync('nowhere.yaml', at('dangling.yaml'));
  mkdirSync(at('folder.yaml'));
  writeFileSync(at('large.yaml'), ' '.repeat(1_048_577));
  writeFileSync(at('latin.yaml'), Buffer.from([0xe4]));
  const link = { status: 403, code: 'FORBIDDEN', reason: 'link' };
  const noText = { status: 422, code: 'INVALID_WORKFLOW', reason: 'not-a-text' };
  for (const [name, expected] of Object.entries({
    'cider/activities/02-link.yaml': link,
    'dangling.yaml': link,
    'folder.yaml': noText,
    'large.yaml': noText,
    'latin.yaml': noText,
  })) {
    const answer = await person.get(textAt(name));
    const { code, data } = (await answer.json()) as { code: string; data?: { reason?: string } };
    expect([name, { status: answer.status, code, reason: data?.reason }]).toEqual([name, expected]);
  }
});

test.each([
  'cider/EVIL.md',
  'cider/other.yaml',
  'cider/notes/x.yaml',
  'cider/workflow.test.yaml',
  'README.md',
])('Nobody can read %s, which does not belong to a definition', async (name) => {
  const { person, reader } = await openBesides();
  for (const browser of [person, reader]) {
    const answer = await browser.get(textAt(name));
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'FORBIDDEN' }]);
  }
});

test('Every user can read files that are served, and only users who may save can read files with errors', async () => {
  const { person, reader } = await openBesides();
  const statuses = async (browser: Browser, ...names: readonly string[]): Promise<readonly number[]> =>
    Promise.all(names.map(async (name) => (await browser.get(textAt(name))).status));
  const served = [file, 'cider/workflow.yaml', 'cider/activities/01-pick.yaml'];
  expect(await statuses(reader, ...served)).toEqual([200, 200, 200]);
  expect(await statuses(person, ...served)).toEqual([200, 200, 200]);
  const withErrors = ['broken.json', 'deploy/credentials.json'];
  expect(await statuses(reader, ...withErrors, 'none.json')).toEqual([403, 403, 403]);
  expect(await statuses(person, ...withErrors, 'none.json')).toEqual([200, 200, 404]);
});

test('Nothing is saved to a source that is not writable, or by the credential of an agent', async () => {
  const service = openService();
  const browser = await openLocalBrowser(service);
  const kept = await browser.read<DefinitionText>(`/text?source=${source}&file=${file}`);
  const draft = { source, file, text: kept.text, digest: kept.digest };
  expect((await browser.send('PUT', '/text', draft)).status).toBe(403);
  const guarded = openService('--auth', 'keys', '--writable', service.definitions);
  const key = await guarded.key({ principal: 'agents', scopes: ['read', 'write'] });
  const agent = await openKeyBrowser(guarded, key);
  expect((await agent.send('PUT', '/text', { ...draft, source: 'writable-1' })).status).toBe(403);
});

test('The playground plays a workflow, even an unsaved one, and explains each step', async () => {
  const browser = await openLocalBrowser(openService());
  const walk = await browser.write<DryRun>('POST', '/walk', { workflowId: 'review-flow' });
  expect(walk).toMatchObject({
    turns: [{ at: 'read-it' }, { at: 'report' }],
    end: 'completed',
    left: [],
  });
  const text = JSON.stringify({
    id: 'draft-flow',
    name: 'X',
    description: 'D',
    version: '1.0.0',
    steps: [
      { id: 'big-one', title: 'A', prompt: 'p', runCondition: { var: 'big', equals: true } },
      { id: 'the-rest', title: 'B', prompt: 'p' },
    ],
  });
  const draft = { source, file: 'draft-flow.json', text };
  const drafted = await browser.write<DryRun>('POST', '/walk', { workflowId: 'draft-flow', draft });
  expect(drafted.turns).toMatchObject([
    {
      at: 'the-rest',
      considered: [
        { target: 'big-one', verdict: 'skipped', undecided: ['big'] },
        { target: 'the-rest', verdict: 'chosen' },
      ],
    },
  ]);
  const big = await browser.write<DryRun>('POST', '/walk', {
    workflowId: 'draft-flow',
    draft,
    context: { big: true },
  });
  expect(big.turns.map(({ at }) => at)).toEqual(['big-one', 'the-rest']);
});

test('The playground tries a workflow of several files with one unsaved text and the other saved ones', async () => {
  const service = openService();
  const folder = join(service.definitions, 'cider');
  mkdirSync(join(folder, 'activities'), { recursive: true });
  const write = (name: string, value: object): void =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  const activity = { version: '1.0.0', steps: [{ id: 'do', name: 'Do it' }] };
  write('workflow.json', { id: 'cider', version: '1.0.0', title: 'Cider' });
  const pick = { ...activity, id: 'pick', name: 'Pick', transitions: [{ to: 'press', isDefault: true }] };
  write('activities/01-pick.json', pick);
  write('activities/02-press.json', { ...activity, id: 'press', name: 'Press' });
  write('activities/03-taste.json', { ...activity, id: 'taste', name: 'Taste' });
  const browser = await openLocalBrowser(service);
  const ask = { workflowId: 'cider' };
  const saved = await browser.write<DryRun>('POST', '/walk', ask);
  expect(saved.turns.map(({ at }) => at)).toEqual(['pick', 'press']);

  const changed = { ...pick, transitions: [{ to: 'taste', isDefault: true }] };
  const draft = { source, file: 'cider/activities/01-pick.json', text: JSON.stringify(changed) };
  const walked = await browser.write<DryRun>('POST', '/walk', { ...ask, draft });
  expect(walked.turns.map(({ at }) => at)).toEqual(['pick', 'taste']);
  const actions = [{ kind: 'submit', isAccepted: true }];
  const tried = await browser.write<Trial>('POST', '/try', { ...ask, draft, actions });
  expect(tried.turns.map(({ at }) => at)).toEqual(['pick', 'taste']);

  const broken = { ...ask, draft: { ...draft, text: '{ "id": "pick" }' } };
  expect((await browser.send('POST', '/walk', broken)).status).toBe(422);
  const outside = { ...ask, draft: { ...draft, file: '../cider.json' } };
  expect((await browser.send('POST', '/walk', outside)).status).toBe(403);
});

test('A user who cannot read an unserved workflow cannot try it', async () => {
  const { reader, person } = await openBesides();
  const draft = { source, file: 'deploy/activities/01-first.json', text: '{}' };
  for (const path of ['/walk', '/try']) {
    const ask = { workflowId: 'deploy', draft, ...(path === '/try' && { actions: [] }) };
    expect((await reader.send('POST', path, ask)).status).toBe(403);
    expect((await person.send('POST', path, ask)).status).toBe(422);
  }
});

test('The playground follows a workflow step by step, and refuses unknown actions', async () => {
  const browser = await openLocalBrowser(openService());
  const ask = { workflowId: 'review-flow' };
  const begun = await browser.write<Trial>('POST', '/try', { ...ask, actions: [] });
  expect(begun).toMatchObject({ turns: [{ at: 'read-it' }], position: { status: 'active' }, applied: 0 });
  const actions = [
    { kind: 'submit', outputs: { 'read-it': 'Read.' } },
    { kind: 'submit', isAccepted: true },
  ];
  const asked = await browser.write<Trial>('POST', '/try', { ...ask, actions });
  expect(asked).toMatchObject({ applied: 2, position: { status: 'waiting' } });
  const answered = [...actions, { kind: 'answer', option: 'confirm' }];
  const ended = await browser.write<Trial>('POST', '/try', { ...ask, actions: answered });
  expect(ended).toMatchObject({ applied: 3, position: { status: 'completed' } });
  expect((await browser.send('POST', '/try', { ...ask, actions: [{ kind: 'skip' }] })).status).toBe(400);
});

test('The playground checks an output against criteria, and lists what they require', async () => {
  const browser = await openLocalBrowser(openService());
  const criteria = [{ type: 'contains', value: 'done', message: 'Say that it is done.' }];
  const judged = await browser.write<Judged>('POST', '/judge', { output: 'not yet', criteria });
  expect(judged).toMatchObject({
    verdict: { valid: false, issues: ['Say that it is done.'] },
    sentences: ['Say that it is done.'],
  });
  const response = await browser.send('POST', '/judge', { output: '', criteria: [{ type: 'odd' }] });
  expect([response.status, await response.json()]).toMatchObject([422, { code: 'INVALID_CRITERIA' }]);
});

test('The health page describes the database, the keys, the sources and the server', async () => {
  const service = openService();
  writeFileSync(join(service.definitions, 'broken.json'), '{');
  await service.post(
    { jsonrpc: '2.0', id: 1, method: 'workflow_get', params: { id: 'none' } },
    await service.open(),
  );
  const browser = await openLocalBrowser(service);
  expect(await browser.read('/health')).toMatchObject({
    status: 'ready',
    version: '1.2.3',
    database: { ok: true, adapter: 'sqlite' },
    keys: { ok: true, count: 1 },
    sources: [{ name: source, workflows: 1, errors: 1 }],
    refusals: [{ code: 'WORKFLOW_NOT_FOUND', count: 1 }],
    latency: expect.arrayContaining([expect.objectContaining({ route: '/mcp', count: 2 })]),
  });
});
