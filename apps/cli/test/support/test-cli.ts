import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Host } from '@workflowlookup/host';
import { createHost } from '@workflowlookup/host';
import { buildApp, removeApp } from '../../../stdio/test/support/built-app.ts';
import type { CliOptions, CliProcess } from './cli-process.ts';
import { startCli } from './cli-process.ts';

/** A temporary folder with definitions and a state directory, with the command line to run in it. */
export interface TestCli {
  readonly root: string;
  readonly state: string;
  readonly host: Host;
  readonly definitions: string;
  start(args: readonly string[], more?: Partial<CliOptions>): CliProcess;
  run(args: readonly string[], more?: Partial<CliOptions>): CliProcess['ended'];
  /** Replaces the parts of a text that differ from run to run. */
  mask(text: string): string;
  dispose(): Promise<void>;
}

/** Bundles the command line. Returns the path of the bundle. */
export function buildCli(): Promise<string> {
  return buildApp(fileURLToPath(new URL('../..', import.meta.url)));
}

export { removeApp };

/** Creates the folder, with functions that run the bundle `entry` in it. */
export async function openTestCli(entry: string): Promise<TestCli> {
  const root = await mkdtemp(join(tmpdir(), 'workflowlookup-cli-'));
  const definitions = join(root, 'definitions');
  await mkdir(join(definitions, 'errands'), { recursive: true });
  await writeFile(join(definitions, 'errands', 'workflow.json'), JSON.stringify(errands));
  const state = join(root, 'state');
  const host = createHost({
    workingDirectory: root,
    homeDirectory: root,
    stateDirectory: state,
    directories: [definitions],
    includeBundled: false,
    minResponseMs: 0,
    person: 'ana',
  });
  const start: TestCli['start'] = (args, more = {}) =>
    startCli(args, { entry, cwd: root, ...more, env: { WORKFLOWLOOKUP_STATE: state, ...more.env } });
  return {
    root,
    state,
    host,
    definitions,
    start,
    run: (args, more) => start(args, more).ended,
    mask: (text) =>
      stripVTControlCharacters(text)
        .replaceAll(root, 'ROOT')
        .replaceAll(/\b[0-9a-f]{20}\b/g, 'SID')
        .replaceAll(/\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{3}Z)?/g, 'TIME')
        .replaceAll(/\bafter \d+ s\b/g, 'after N s'),
    async dispose() {
      await host.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** A started session, with its current token. */
export interface RunningSession {
  readonly sid: string;
  readonly token: string;
}

/** Starts a session and enters its first activity. */
export async function atFetch({ host: { sessions } }: TestCli): Promise<RunningSession> {
  const { token, value } = await sessions.start({ agentId: 'baker', workflowId: 'errands' });
  return { sid: value.sid, token: (await sessions.move(token, {})).token };
}

/** Starts a session that waits at a checkpoint. Only a person can answer `pay`. */
export async function atCheckpoint(cli: TestCli, checkpoint = 'bake-now'): Promise<RunningSession> {
  const { sid, token } = await atFetch(cli);
  return { sid, token: (await cli.host.sessions.yield(token, checkpoint)).token };
}

/** The manifest that completes the activity `fetch`. */
export const fetchManifest = [
  { step_id: 'buy', output: 'A sack' },
  { step_id: 'ask', output: 'Asked' },
];

const errands = {
  id: 'errands',
  version: '1.0.0',
  title: 'Errands',
  initialActivity: 'fetch',
  variables: [
    { name: 'flour', type: 'string', defaultValue: 'rye' },
    { name: 'hot', type: 'boolean' },
  ],
  activities: [
    {
      id: 'fetch',
      version: '1.0.0',
      name: 'Fetch what is needed',
      steps: [
        { id: 'buy' },
        { id: 'ask', checkpoint: 'bake-now' },
        { id: 'settle', checkpoint: 'pay', required: false },
        { id: 'order', checkpoint: 'order', required: false },
      ],
      checkpoints: [
        {
          id: 'bake-now',
          name: 'Bake now?',
          message: 'There is {flour}.\nBake?',
          options: [
            {
              id: 'yes',
              label: 'Yes',
              description: 'The oven is lit.',
              effect: { setVariable: { hot: true }, transitionTo: 'bake', skipActivities: ['rest'] },
            },
            { id: 'no', label: 'No' },
          ],
        },
        {
          id: 'pay',
          name: 'Pay?',
          message: 'Pay the miller?',
          approver: 'human',
          options: [
            { id: 'yes', label: 'Yes' },
            { id: 'no', label: 'No' },
          ],
        },
        {
          id: 'order',
          name: 'Order?',
          message: 'Order the flour?',
          options: [
            { id: 'yes', label: 'Yes', irreversible: true },
            { id: 'other', label: 'Another flour', note: 'required' },
          ],
        },
      ],
      transitions: [
        { to: 'bake', condition: 'hot == true' },
        { to: 'rest', isDefault: true },
      ],
    },
    { id: 'rest', version: '1.0.0', name: 'Rest', transitions: [{ to: 'end' }] },
    { id: 'bake', version: '1.0.0', name: 'Bake', steps: [{ id: 'knead' }], transitions: [{ to: 'end' }] },
  ],
};
