import { expect, test } from 'vitest';
import { insightsCsv } from '../../src/insights/insights-csv.ts';
import { openTestServer } from '../support/test-server.ts';
import { activityWorkflow } from '../support/sessions.ts';

const insights = await openTestServer([activityWorkflow([{ id: 'plan' }])])
  .person('ana')
  .insights();

/** Returns the CSV of one session with this title. */
function csvWith(title: string): string {
  const session = { sid: 's', workflowId: 'errand', title, calls: -1, refused: 0, readTokens: 0 };
  return insightsCsv({ ...insights, largest: [session] });
}

test.each(['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n'])(
  'A text that begins with %j gets an apostrophe, because spreadsheets may run it as a formula',
  (first) => {
    const title = `${first}HYPERLINK("x")`;
    expect(csvWith(title)).toContain(`\r\nsession,errand,s,"'${first}HYPERLINK(""x"")",calls,-1,1\r\n`);
  },
);

test('Other texts and numbers stay as they are', () => {
  expect(csvWith('a=b')).toContain('\r\nsession,errand,s,a=b,calls,-1,1\r\n');
  expect(csvWith('a, "b"\nc')).toContain('\r\nsession,errand,s,"a, ""b""\nc",calls,-1,1\r\n');
});

test('Each workflow has rows with its numbers of sessions by how they ended', () => {
  const tag = { success: 's', failure: 'f', stopped: 't', other: 'o', running: 'r' };
  const counts = { sessions: 7, success: 1, failure: 2, stopped: 0, other: 3, running: 1, refused: 9 };
  const workflows = [{ workflowId: 'errand', ...counts, refusedTag: 'refused', resultTags: tag }];
  const lines = insightsCsv({ ...insights, workflows }).split('\r\n');
  expect(lines.filter((line) => line.startsWith('workflow,'))).toEqual(
    Object.entries(counts).map(([measure, value]) => `workflow,errand,,,${measure},${value},7`),
  );
});

test('Our own ids are written as words if names are given, and stay ids otherwise', () => {
  const waits = { count: 1, total: 2, median: 2, p90: 2 };
  const people = ['human', 'agent', 'ana'].map((person) => ({ person, tag: '', sessions: 1, waits }));
  const subjects = (csv: string): ReadonlySet<string | undefined> =>
    new Set(
      csv
        .split('\r\n')
        .filter((line) => line.startsWith('person,'))
        .map((line) => line.split(',')[2]),
    );
  const named = insightsCsv({ ...insights, people }, {});
  expect(subjects(named)).toEqual(new Set(['a person', 'an agent', 'ana']));
  expect(named).toContain('\r\nall,,,,not finished,');
  expect(named).not.toContain(',running,');
  const plain = insightsCsv({ ...insights, people });
  expect(subjects(plain)).toEqual(new Set(['human', 'agent', 'ana']));
  expect(plain).toContain('\r\nall,,,,running,');
});

test('The names of workflows and of their parts have their own columns, after the ids', () => {
  const refusal = { workflowId: 'errand', activity: 'plan', criterion: 'c', count: 2, tag: '', sessions: 1 };
  const refusals = [
    { ...refusal, step: 'think' },
    { ...refusal, step: 'gone' },
    { ...refusal, workflowId: 'constructor', step: 'toString' },
  ];
  const names = { errand: { name: 'An errand', activities: { plan: 'Plan it' }, steps: { think: 'Think' } } };
  const lines = insightsCsv({ ...insights, refusals }, names).split('\r\n');
  expect(lines[0]).toBe('figure,workflow,subject,detail,measure,value,sessions,workflow_name,place_name');
  expect(lines.filter((line) => line.startsWith('refusal,'))).toEqual([
    'refusal,errand,plan/think,c,refusals,2,1,An errand,Plan it: Think',
    'refusal,errand,plan/gone,c,refusals,2,1,An errand,Plan it: gone',
    'refusal,constructor,plan/toString,c,refusals,2,1,,plan: toString',
  ]);
  expect(lines.find((line) => line.startsWith('all,'))).toMatch(/,,$/);
  // Without names, the two columns of names are left out.
  expect(insightsCsv(insights)).toMatch(/^figure,workflow,subject,detail,measure,value,sessions\r\n/);
});
