import { createOperator } from '@workflowlookup/core/operator';
import type { Workflow } from '@workflowlookup/schema';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Project } from '../../../packages/evidence/test/support/project.ts';
import { makeProject } from '../../../packages/evidence/test/support/project.ts';
import { readBundledFolders } from '../support/bundled-folders.ts';
import { readBundled } from '../support/bundled.ts';
import { sampleOf, stepsWithFields, withoutFields } from '../support/field-samples.ts';
import type { LoneScript } from './lone-scripts.ts';
import { loneScripts } from './lone-scripts.ts';
import type { Conduct } from './obedient-agent.ts';
import { obey } from './obedient-agent.ts';
import { openTestServer } from './test-server.ts';

const served: readonly Workflow[] = [
  ...(await readBundled()).flatMap(({ reading }) => reading.workflow ?? []),
  ...(await readBundledFolders()).flatMap(({ workflow }) => workflow ?? []),
];
const workflows = createMemoryStore(served);

/** The files of a project. Every file in `tests` is a test, which passes if the file contains `pass`. */
const files = {
  'run-tests.sh': `#!/bin/sh
mkdir -p reports
echo "<testsuite>$(for one in tests/*; do echo "<testcase name='$one'/>"; done)</testsuite>" > reports/junit.xml
for one in tests/*; do [ "$(cat $one)" = pass ] || exit 1; done
`,
  'tests/removes': 'pass\n',
  'src/cart.txt': 'a cart\n',
  '.gitignore': 'reports\n',
};
const checks = 'checks: {test: {run: [sh, run-tests.sh], reports: [{junit: reports/junit.xml}]}}\n';

const scripts = loneScripts('').map(({ id }) => ({ id }));

it('A script exists for every bundled workflow except meta', () => {
  const ids = served.map(({ id }) => id).filter((id) => id !== 'meta');
  expect(scripts.map(({ id }) => id)).toEqual(ids.toSorted());
});

describe('an agent that works alone', () => {
  it.each(scripts)('reaches the expected end of $id, with evidence for its claims', async ({ id }) => {
    const project = makeProject({ ...files, '.workflowlookup/checks.yaml': checks });
    await project.trust();
    const { script, ...found } = await followAlone(id, project);
    expectEnd(script, found);
    expect(found.evidence.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  });

  it.each(['bug-investigation', 'issue-to-merge', 'release'])(
    'reaches the same end of %s in a project without checks, and the evidence says that they are not configured',
    async (id) => {
      const { script, ...found } = await followAlone(id, makeProject(files));
      expectEnd(script, found);
      for (const { kind, outcome } of found.evidence)
        expect(outcome).toBe(kind === 'check' ? 'not-configured' : 'passed');
    },
  );

  it('can finish without the evidence of a check that no person trusts, and the session shows it', async () => {
    const project = makeProject({ ...files, '.workflowlookup/checks.yaml': checks });
    const { script, ...found } = await followAlone('issue-to-merge', project, ['prove-it']);
    expectEnd({ ...script, alone: ['prove-it', 'second-opinion'] }, found);
    expect(found.evidence).toMatchObject([{ kind: 'check', outcome: 'failed' }, { outcome: 'passed' }]);
  });

  it('is refused if it claims that tests pass although they fail', async () => {
    const project = makeProject({ ...files, 'tests/adds': 'broken', '.workflowlookup/checks.yaml': checks });
    await project.trust();
    await expect(followAlone('release', project)).rejects.toMatchObject({ code: 'EVIDENCE_REQUIRED' });
  });

  it('keeps its own files out of git so that evidence ignores them', async () => {
    const project = makeProject({ ...files, '.workflowlookup/checks.yaml': checks });
    await project.trust();
    // issue-to-merge tells the agent to keep its plan in such a folder.
    project.write('.work/.gitignore', '*\n');
    project.write('.work/issue-to-merge/plan.md', 'The plan.\n'.repeat(30));
    const { evidence } = await followAlone('issue-to-merge', project);
    expect(evidence.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
    expect(JSON.stringify(served)).not.toContain('info/exclude');
  });

  it('fixes similar places before the evidence for the fix is collected, not after', async () => {
    const project = makeProject({ ...files, '.workflowlookup/checks.yaml': checks });
    await project.trust();
    const fixSibling = (at: Project): void => {
      at.write('src/list.txt', 'a list that adds\n');
      at.commit();
    };
    const { finished, evidence } = await followAlone('bug-investigation', project, [], {
      siblings: fixSibling,
    });
    expect(finished.end.status).toBe('completed');
    const fixed = project.git('rev-parse', 'HEAD').trim();
    expect(evidence.map(({ kind, commit }) => [kind, commit])).toEqual([
      ['check', fixed],
      ['git', fixed],
    ]);
    expect(project.git('show', '--stat', '--format=', 'HEAD')).toContain('src/list.txt');
  });

  it('finishes a small change with at most 8 activities and one approval', async () => {
    const { finished } = await followAlone('issue-to-merge', makeProject(files));
    expect(finished.path.length).toBeLessThanOrEqual(8);
    expect(finished.answers).toEqual(['merge-approval: merge']);
  });
});

/** Follows the script of a workflow in a project. A person answers the checkpoints that need one. */
async function followAlone(
  id: string,
  project: Project,
  unproved: readonly string[] = [],
  /** Changes to the project that the agent makes at the first step with a field of this name. */
  whereAsked: Readonly<Record<string, (project: Project) => void>> = {},
) {
  const script = loneScripts(project.git('rev-parse', 'HEAD').trim()).find((one) => one.id === id);
  const workflow = served.find((one) => one.id === id);
  if (script === undefined || workflow === undefined) throw new Error(`There is no ${id}`);
  const collector = project.collector();
  const server = await openTestServer(workflows, { evidence: collector });
  onTestFinished(async () => {
    await collector.close();
    await server.close();
  });
  const finished = await obey(
    server.sessions('strict'),
    id,
    conductOf(script, { workflow, project, unproved, whereAsked }),
  );
  const events = await server.store.events(finished.sid);
  const operator = createOperator({ store: () => Promise.resolve(server.store), ...people });
  return {
    script,
    finished,
    outcome: (await operator.summary(finished.sid))?.ended?.name,
    evidence: events.flatMap(({ type, data }) =>
      type === 'evidence-collected'
        ? [(data as unknown as { result: { kind: string; outcome: string; commit?: string } }).result]
        : [],
    ),
  };
}

const people = {
  person: 'ada',
  policy: {
    enforcement: 'strict',
    minResponseMs: 0,
    gates: 'declared',
    trustElicitation: true,
    humanAnswersWith: (sid: string) => sid,
  },
} as const;

function conductOf(
  { path, work = {}, answers = {}, alone }: LoneScript,
  {
    workflow,
    project,
    unproved,
    whereAsked,
  }: {
    workflow: Workflow;
    project: Project;
    unproved: readonly string[];
    whereAsked: Readonly<Record<string, (project: Project) => void>>;
  },
): Conduct {
  const acts = new Map(Object.entries(whereAsked));
  const asked = stepsWithFields(workflow);
  const learned = new Map(path.map(([activity, values = {}]) => [activity, values]));
  let current = '';
  return {
    work(activity) {
      current = activity;
      work[activity]?.(project);
      for (const { id } of asked.get(activity)?.fields ?? []) {
        acts.get(id)?.(project);
        acts.delete(id);
      }
    },
    notDone(step) {
      const name = step.split('::').at(-1) ?? '';
      if (alone.includes(name)) return 'Nobody else is here.';
      return unproved.includes(name) ? 'No person has trusted the checks.' : undefined;
    },
    output(step) {
      const fields = asked.get(step.split('::').at(-1) ?? '');
      return fields === undefined
        ? 'Done as described.'
        : JSON.stringify(sampleOf(fields, learned.get(current) ?? {}));
    },
    choose: ({ checkpoint }) => answers[checkpoint] ?? 'confirm',
    learn: (activity) => withoutFields(learned.get(activity) ?? {}, asked.values()),
    settle: () => ({}),
    clear: () => ({}),
  };
}

type Followed = Omit<Awaited<ReturnType<typeof followAlone>>, 'script'>;

/** Checks that the session ended as the script expects, and that its status lists the steps that were not done. */
function expectEnd({ path, alone, byPeople, outcome }: LoneScript, found: Followed): void {
  const { finished } = found;
  expect(finished.path).toEqual(path.map(([activity]) => activity));
  expect(finished.end.status).toBe('completed');
  expect((finished.end.notDone ?? []).map(({ step }) => step)).toEqual(alone);
  expect(finished.byPeople).toBe(byPeople);
  expect(found.outcome).toBe(outcome);
}
