import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocks } from '../../../../test/support/documents.ts';
import { openTestProject } from '../support/test-project.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

test('The tests in the guide pass, and cover the workflow in the guide completely', async () => {
  const shown = (info: string): string =>
    blocks().find((block) => block.file === 'docs/authoring.md' && block.info === info)?.text ?? '';
  const project = await openTestProject(entry, {
    'changelog-entry.yaml': shown('yaml workflow'),
    'changelog-entry.test.yaml': shown('yaml tests'),
  });
  const { code, out } = await project.run(['test', 'changelog-entry.test.yaml']);
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringContaining('\n1 test passed; no problems in') as string,
  });
});

test('The activity workflow in the guide has no problems', async () => {
  const examples = fileURLToPath(new URL('../../../../examples/workflows', import.meta.url));
  const project = await openTestProject(entry);
  const { code, out, err } = await project.run(['test', examples, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(jsonOf('test', out)).toMatchObject({ checked: 1, findings: [] });
});

test('The bundled workflows have no problems, and the tests of two of them cover these completely', async () => {
  const definitions = fileURLToPath(new URL('../../../../workflows/definitions', import.meta.url));
  const project = await openTestProject(entry);
  const { code, out, err } = await project.run(['test', definitions, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const report = jsonOf('test', out) as {
    checked: number;
    failed: number;
    findings: unknown[];
    workflows: { id: string; tests: unknown[]; coverage?: object; exploration: object }[];
  };
  expect(report).toMatchObject({ checked: 12, failed: 0, findings: [] });
  const all = { steps: { percent: 100 }, branches: { percent: 100 } };
  for (const { exploration } of report.workflows) expect(exploration).toMatchObject({ coverage: all });
  const tested = report.workflows.filter(({ tests }) => tests.length > 0);
  expect(tested).toMatchObject([
    { id: 'change-review', coverage: all },
    { id: 'dependency-upgrade', coverage: all },
  ]);
}, 120_000);
