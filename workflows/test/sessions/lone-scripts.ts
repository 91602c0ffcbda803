import type { JsonObject } from '@workflowlookup/schema';
import type { Project } from '../../../packages/evidence/test/support/project.ts';

/** The script of an agent that works alone on a workflow, and the expected end of its session. */
export interface LoneScript {
  readonly id: string;
  /** The activities, or the instances of steps, in order, each with the variables that the agent sets there. */
  readonly path: readonly (readonly [activity: string, learned?: JsonObject])[];
  /** Changes the project in an activity, before evidence is collected. */
  readonly work?: Readonly<Record<string, (project: Project) => void>>;
  /** The options that people choose, by checkpoint. Default: confirm. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Steps that only a second agent or another person could do. */
  readonly alone: readonly string[];
  /** The number of answers that only a person may give. */
  readonly byPeople: number;
  readonly outcome: string;
}

/** A change of a few lines with its test, committed on a branch. */
function commitChange(project: Project): void {
  if (project.git('branch', '--show-current').trim() === 'main')
    project.git('checkout', '--quiet', '-b', 'topic');
  project.write('src/cart.txt', `a cart that adds\n${project.git('rev-parse', 'HEAD')}`);
  project.write('tests/adds', 'pass');
  project.commit();
}

function writeReport(path: string): (project: Project) => void {
  return (project) => {
    project.write('.work/.gitignore', '*\n');
    project.write(path, 'What was found, and how it was shown.\n'.repeat(8));
  };
}

const head = '4f1c9e27ab30d8856c2e1f9a7b64c0d3e5a81f02';

/** A script for each bundled workflow. `startCommit` is the commit on which the agent starts. */
export function loneScripts(startCommit: string): readonly LoneScript[] {
  const small = { size: 'small' };
  const onMain = { baseBranch: 'main', startCommit };
  const shown = { headCommit: head, validationSummary: '3 passed, 0 failed', openPoints: 'none' };
  return [
    {
      id: 'bug-investigation',
      path: [
        ['size-up', { ...small, mandate: 'fix', lastGood: 'unknown', startCommit }],
        ['reproduce', { reproducible: 'always' }],
        ['find-causes', { explained: true }],
        ['fix-causes'],
        ['close-case', { outcome: 'fixed' }],
      ],
      work: { 'fix-causes': commitChange },
      alone: [],
      byPeople: 0,
      outcome: 'fixed',
    },
    {
      id: 'change-review',
      path: [
        [
          'understand-intent',
          { ...small, canRun: true, touchesSecurity: false, touchesData: false, postReview: false },
        ],
        ['run-change'],
        ['read-change'],
        ['judge-tests', { serious: false }],
        ['write-review', { verdict: 'comment', awaitingFixes: false }],
      ],
      alone: [],
      byPeople: 0,
      outcome: 'completed',
    },
    {
      id: 'dependency-upgrade',
      path: [
        [
          'inventory',
          {
            ...small,
            repository: `shop at ${startCommit}`,
            baseBranch: 'main',
            baseline: '3 passed, 0 failed',
          },
        ],
        ['upgrade-small', { kept: 'yaml 2.8.1.', nothingKept: false, ...shown }],
        ['merge-gate'],
        ['merge', { mergeResult: 'merged' }],
        ['report'],
      ],
      work: {
        'upgrade-small': commitChange,
        report: writeReport('.work/dependency-upgrade/report.md'),
      },
      answers: { 'merge-upgrades': 'merge' },
      alone: ['second-look'],
      byPeople: 1,
      outcome: 'merged',
    },
    {
      id: 'feature-implementation',
      path: [
        ['frame-request', { size: 'large', mustAsk: false, ...onMain }],
        ['choose-design'],
        [
          'plan-slices',
          {
            slices: [
              { id: 'add', goal: 'The cart adds', check: './run-tests.sh' },
              { id: 'remove', goal: 'The cart removes', check: './run-tests.sh' },
            ],
            plannedPaths: ['src', 'tests'],
          },
        ],
        ['each-slice@0::build-slice'],
        ['each-slice@1::build-slice'],
        ['try-criteria'],
        ['break-it'],
        ['second-opinion'],
        ['hand-over'],
      ],
      work: { 'each-slice@0::build-slice': commitChange, 'each-slice@1::build-slice': commitChange },
      alone: ['second-opinion'],
      byPeople: 0,
      outcome: 'completed',
    },
    {
      id: 'incident-response',
      path: [
        ['declare', { size: 'large', securityConcern: false }],
        ['call-people'],
        ['look-for-change'],
        ['stop-the-harm@0::choose-action', { actionRisk: 'low' }],
        ['stop-the-harm@0::act'],
        ['stop-the-harm@0::watch', { recovered: true, dataDamaged: false }],
        ['learn'],
        ['close', { outcome: 'resolved' }],
      ],
      alone: ['call-people'],
      byPeople: 0,
      outcome: 'resolved',
    },
    {
      id: 'issue-to-merge',
      path: [
        [
          'intake',
          {
            ...small,
            goal: 'The cart adds the same article twice.',
            criteria: [{ id: 'AC1', text: 'Two of one article are shown as 2' }],
            baseBranch: 'main',
            mustAsk: false,
            questions: 'none',
            planFirst: false,
          },
        ],
        ['build', { ...small, ...shown, wayBack: 'git revert' }],
        ['merge-gate'],
        ['merge', { mergeResult: 'merged' }],
        ['close'],
      ],
      work: {
        build: commitChange,
        merge(project) {
          project.git('checkout', '--quiet', 'main');
          project.git('merge', '--quiet', '--no-ff', '-m', 'Merge it', 'topic');
        },
      },
      answers: { 'merge-approval': 'merge' },
      alone: ['second-opinion'],
      byPeople: 1,
      outcome: 'merged',
    },
    {
      id: 'migration-at-scale',
      path: [
        [
          'count-units',
          {
            ...small,
            startCommit,
            unitCount: 2,
            plannedPaths: ['src'],
            testPaths: ['tests'],
            dataChange: false,
          },
        ],
        ['migrate-all'],
        ['sweep', { removeOldForm: false }],
        ['close', { outcome: 'completed' }],
      ],
      work: { 'migrate-all': commitChange },
      alone: [],
      byPeople: 0,
      outcome: 'completed',
    },
    {
      id: 'release',
      path: [
        ['fix-scope', { ...small, releaseVersion: '2.4.1' }],
        ['prepare', { artefacts: [{ name: 'app.tgz', kind: 'package', digest: 'sha256:11', used: 'yes' }] }],
        ['publish', { staged: false }],
        ['verify-published', { healthy: true }],
        ['close', { outcome: 'released' }],
      ],
      alone: [],
      byPeople: 1,
      outcome: 'released',
    },
    {
      id: 'security-audit',
      path: [
        [
          'scope',
          {
            ...small,
            target: `shop at ${startCommit}`,
            scopeSummary: 'The cart, read only.',
            wantsTesting: false,
          },
        ],
        [
          'examine',
          { highestSeverity: 'low', reportSummary: 'One low; the rest of the shop is not covered.' },
        ],
        ['disclosure-gate'],
        ['disclose'],
        ['close'],
      ],
      work: { examine: writeReport('.work/security-audit/report.md') },
      answers: { disclose: 'owner' },
      alone: ['second-verifier'],
      byPeople: 1,
      outcome: 'reported to the owner',
    },
    {
      id: 'technical-document',
      path: [
        [
          'name-reader',
          {
            size: 'large',
            document: 'docs/cart.md',
            changedPaths: ['docs'],
            startCommit,
            updatesExisting: false,
            publishes: false,
          },
        ],
        ['collect-facts'],
        ['outline', { sections: [{ id: 'add', title: 'Add an article', answers: 'How do I add one?' }] }],
        ['each-section@0::write-section'],
        ['try-on-reader'],
        ['check-document'],
        ['hand-over'],
      ],
      work: {
        'check-document'(project) {
          writeReport('docs/cart.md')(project);
          project.commit();
        },
      },
      alone: ['try-on-reader'],
      byPeople: 0,
      outcome: 'completed',
    },
    {
      id: 'workflow-authoring',
      path: [
        [
          'study-the-work',
          {
            size: 'large',
            form: 'new',
            workflowId: 'tea-time',
            file: 'workflows/tea-time.yaml',
            shared: true,
          },
        ],
        ['outline-steps'],
        ['write-workflow'],
        ['walk-paths'],
        ['trial-run'],
        ['install'],
      ],
      work: { 'write-workflow': writeReport('workflows/tea-time.yaml') },
      alone: ['trial-run'],
      byPeople: 1,
      outcome: 'completed',
    },
  ];
}
