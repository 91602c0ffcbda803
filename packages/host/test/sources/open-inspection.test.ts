import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Inspection, InspectionOptions } from '../../src/index.ts';
import { openInspection } from '../../src/index.ts';
import { tempState } from '../support/temp-state.ts';

const flow = (id: string, more: object = {}): string =>
  JSON.stringify({
    id,
    name: id,
    description: id,
    steps: [{ id: 'one', title: 'One', prompt: 'Do it.' }],
    ...more,
  });
const part = (id: string, ...more: readonly string[]): string =>
  [`id: ${id}`, 'version: 1.0.0', ...more, ''].join('\n');

/** The files by their path in the folder of the test. */
const files = {
  'workflows/plain.json': flow('plain'),
  'workflows/sound.json': flow('sound', { version: '1.0.0' }),
  'workflows/team/press/workflow.yaml': part('press', 'title: Press'),
  'workflows/team/press/activities/01-turn.yaml': part('turn', 'name: Turn'),
  'drafts/broken.json': '{',
  'drafts/cider/workflow.yaml': part(
    'cider',
    'title: C',
    'activities: [press/01-turn, pick/01-pick, none/01-x]',
  ),
  'drafts/pick/workflow.yaml': part('pick', 'title: Pick'),
  'drafts/pick/activities/01-pick.yaml': part('pick', 'name: Pick'),
};

function inspect(options: InspectionOptions): { readonly inspection: Inspection; readonly root: string } {
  const root = tempState();
  for (const [path, text] of Object.entries(files)) write(root, path, text);
  const inspection = openInspection({
    includeBundled: false,
    includeUser: false,
    workingDirectory: root,
    ...options,
  });
  onTestFinished(() => inspection.close());
  return { inspection, root };
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const issueLines = async (inspection: Inspection): Promise<readonly string[]> =>
  (await inspection.reports()).flatMap(({ problems }) =>
    problems.flatMap(({ file, issues }) => issues.map(({ code }) => `${file} ${code}`)),
  );

test('The inspection reports the sources with their warnings', async () => {
  const { inspection, root } = inspect({});
  const reports = await inspection.reports();
  const found = reports.map(({ directory, workflows }) => [
    directory,
    workflows.map(({ workflow, file }) => [workflow.id, file]),
  ]);
  expect(found).toEqual([
    [
      join(root, 'workflows'),
      [
        ['plain', 'plain.json'],
        ['press', 'team/press/workflow.yaml'],
        ['sound', 'sound.json'],
      ],
    ],
    [join(root, '.workflowlookup/workflows'), []],
  ]);
  expect(await issueLines(inspection)).toEqual(['plain.json missing-version']);
});

test('A single workflow can borrow from its folder and from the sources, and nothing else is read', async () => {
  const { inspection } = inspect({ places: [{ directory: 'drafts', only: ['cider'] }] });
  const [report] = await inspection.reports();
  expect(report?.workflows.map(({ workflow }) => workflow.id)).toEqual(['cider']);
  expect(report?.problems.flatMap(({ issues }) => issues)).toMatchObject([
    { code: 'unknown-activity', message: expect.stringContaining("'none/01-x'") as string },
  ]);
});

test('A change in a watched folder is reported', async () => {
  const { inspection, root } = inspect({ places: [{ directory: 'workflows' }], isWatched: true });
  expect(await issueLines(inspection)).toEqual(['plain.json missing-version']);
  const changed = new Promise<void>((resolve) => void inspection.watch(resolve));
  write(root, 'workflows/plain.json', flow('plain', { version: '1.0.0' }));
  await changed;
  await expect.poll(() => issueLines(inspection)).toEqual([]);
});
