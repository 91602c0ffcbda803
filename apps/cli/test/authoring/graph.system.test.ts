import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { definitionMessages } from '../../src/messages/definitions.ts';
import { fileMessages, optionMessages } from '../../src/messages/common.ts';
import { flow } from '../support/definitions.ts';
import { openTestProject } from '../support/test-project.ts';
import { jsonOf } from '../support/json-schemas.ts';
import type { TestCli } from '../support/test-cli.ts';
import {
  atCheckpoint,
  atFetch,
  buildCli,
  fetchManifest,
  openTestCli,
  removeApp,
} from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

const tea = flow('tea', {
  name: 'Tea',
  steps: [
    { id: 'boil', title: 'Boil "hard"', prompt: 'Boil.' },
    { id: 'milk', title: 'Milk', prompt: 'Milk.', runCondition: 'milk == true' },
    {
      id: 'cups',
      type: 'loop',
      title: 'Cups',
      loop: { type: 'forEach', items: 'guests', maxIterations: 9 },
      body: [{ id: 'pour', title: 'Pour', prompt: 'Pour.' }],
    },
    { id: 'serve', title: 'Serve', prompt: 'Serve.', requireConfirmation: true, approver: 'human' },
  ],
});

describe('graph', () => {
  const only = ['--no-bundled'];

  test('draws a step workflow as Mermaid', async () => {
    const project = await openTestProject(entry, { 'workflows/tea.json': tea });
    const { code, out, err } = await project.run(['graph', 'tea', ...only]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(`flowchart TD
  n0(["Start"])
  n1["Boil #34;hard#34;"]
  n2{"milk == true"}
  n3["Milk"]
  subgraph n4["Cups"]
    n5[/"for each currentItem of guests, at most 9 iterations"\\]
    n6["Pour"]
  end
  n7["Serve"]
  n8{{"Confirm: Serve (answered by a person)"}}
  n9(["End"])
  n0 --> n1
  n1 --> n2
  n2 -->|"yes"| n3
  n3 --> n5
  n2 -->|"no"| n5
  n5 -->|"each iteration"| n6
  n6 --> n5
  n5 -->|"done"| n7
  n7 --> n8
  n8 -->|"Revise"| n7
  n8 -->|"Confirm"| n9
`);
  });

  test('writes an SVG to a file whose name ends in .svg', async () => {
    const project = await openTestProject(entry, { 'workflows/tea.json': tea });
    const ended = await project.run(['graph', 'tea', '--out', 'tea.svg', ...only]);
    expect(ended).toEqual({ code: 0, out: 'Wrote tea.svg.\n', err: '' });
    const svg = await project.read('tea.svg');
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" role="img" width="\d+" height="\d+" /,
    );
    expect(svg).toContain('>Boil &quot;hard&quot;</text>');
    expect(svg).toContain('prefers-color-scheme: dark');
    expect((await project.run(['graph', 'tea', '--format', 'svg', ...only])).out).toBe(svg);
    await project.write('tea.svg', 'older');
    expect(await project.run(['graph', 'tea', '--out', 'tea.svg', '--force', ...only])).toMatchObject({
      code: 0,
    });
    expect(await project.read('tea.svg')).toBe(svg);
  });

  test('prints the diagram as JSON', async () => {
    const project = await openTestProject(entry, { 'workflows/tea.json': tea });
    const { out } = await project.run(['graph', 'tea', '--json', ...only]);
    expect(jsonOf('graph', out)).toMatchObject({
      workflow: { id: 'tea', title: 'Tea', kind: 'steps' },
      nodes: expect.arrayContaining([
        { id: 'step:cups/pour', kind: 'step', label: 'Pour', parent: 'loop:cups', ref: 'pour' },
      ]),
    });
  });

  test.each([
    [['graph'], definitionMessages.nameToDraw],
    [['graph', 'nowhere'], /'nowhere'.*\(WORKFLOW_NOT_FOUND\)/],
    [['graph', 'tea', '--format', 'png'], 'Allowed choices are mermaid, svg'],
    [['graph', 'tea', '--out', 'workflows'], optionMessages.drawingFormat('workflows')],
    [['graph', 'tea', '--out', 'tea.png'], optionMessages.drawingFormat('tea.png')],
    [['graph', 'tea', '--out', 'tea.mmd'], fileMessages.exists('tea.mmd')],
    [['graph', 'tea', '--out', 'folder.svg', '--force'], fileMessages.notReplaced('folder.svg', 'EISDIR')],
    [['graph', '--session', '5d0c', '--state', 'state'], /'5d0c'.*\(NOT_FOUND\)/],
  ])('%j is refused', async (args, says) => {
    const kept = { 'tea.mmd': 'kept', 'folder.svg/file': '' };
    const project = await openTestProject(entry, { 'workflows/tea.json': tea, ...kept });
    const { code, out, err } = await project.run([...args, ...only]);
    expect(await project.read('tea.mmd')).toBe('kept');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(says);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  test('exits quietly when its output is closed', async () => {
    const project = await openTestProject(entry);
    const started = project.start(['graph', 'issue-to-merge', '--steps', '--format', 'svg']);
    started.child.stdout?.destroy();
    expect(await started.ended).toMatchObject({ code: 0, err: '' });
  });
});

describe('graph --session', () => {
  let cli: TestCli;

  beforeEach(async () => {
    cli = await openTestCli(entry);
  });

  afterEach(() => cli.dispose());

  test('marks completed, waiting and future activities', async () => {
    const { sid } = await atCheckpoint(cli);
    const { code, out } = await cli.run(['graph', 'errands', '--session', sid.slice(0, 12), '--steps']);
    expect(code).toBe(0);
    // The activity, the step that stops at the checkpoint, and the checkpoint.
    expect(out).toMatch(/class n\d+,n\d+,n\d+ current/);
    const edges = out.split('\n').filter((line) => line.includes(' -->'));
    const taken = edges.findIndex((line) => line.trim() === 'n0 --> n2');
    expect(out).toContain(`linkStyle ${taken} stroke`);
    const { out: json } = await cli.run(['graph', '--session', sid, '--steps', '--json']);
    expect(jsonOf('graph', json)).toMatchObject({
      workflow: { id: 'errands' },
      nodes: expect.arrayContaining([
        expect.objectContaining({ id: 'activity:fetch', state: 'current', visits: 1 }),
        expect.objectContaining({ id: 'checkpoint:fetch/ask/bake-now', state: 'current', visits: 1 }),
        expect.objectContaining({ id: 'activity:bake', state: 'planned', visits: 0 }),
      ]),
    });
  });

  test('marks what was refused, and what an answer skipped', async () => {
    const { sid, token } = await atCheckpoint(cli);
    await cli.host.sessions.move(token, {}).catch(() => undefined);
    // The trace is written in the background. Reading the history in this process waits for it.
    expect((await cli.host.operator.history(sid)).refusals).toHaveLength(1);
    const refused = jsonOf('graph', (await cli.run(['graph', '--session', sid, '--json'])).out);
    expect(refused).toMatchObject({
      nodes: expect.arrayContaining([
        expect.objectContaining({
          ref: 'fetch',
          state: 'refused',
          why: expect.stringMatching(/^CHECKPOINT_OPEN/),
        }),
      ]),
    });
    await cli.host.operator.respond(sid, { mode: { kind: 'option', option: 'yes' } });
    const { token: next } = await cli.host.sessions.resume(token);
    await cli.host.sessions.move(next, { manifest: fetchManifest });
    const { out } = await cli.run(['graph', '--session', sid, '--format', 'svg']);
    expect(out).toContain('class="node activity skipped" data-id="activity:rest"');
    expect(out).toContain('the answer &#39;yes&#39; to checkpoint &#39;bake-now&#39; skipped it');
    expect(out).toContain('class="node activity current" data-id="activity:bake"');
  });

  test('draws the definition that the session started with, and refuses another workflow', async () => {
    const { sid } = await atFetch(cli);
    await rm(cli.definitions, { recursive: true });
    const { code } = await cli.run(['graph', '--session', sid]);
    expect(code).toBe(0);
    const other = await cli.run(['graph', 'tea', '--session', sid]);
    expect(other).toMatchObject({
      code: 2,
      err: expect.stringContaining(definitionMessages.otherWorkflow(sid, 'errands', 'tea')),
    });
  });
});
