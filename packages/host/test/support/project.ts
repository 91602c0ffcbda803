import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Collected, Reply, Sessions } from '@workflowlookup/core/sessions';
import { defineWorkflow } from '@workflowlookup/core';
import { readProjectChecks } from '@workflowlookup/evidence';
import type { Evidence, Json } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { onTestFinished } from 'vitest';
import type { GitFolder } from '../../../evidence/test/support/git-folder.ts';
import { makeGitFolder } from '../../../evidence/test/support/git-folder.ts';
import type { Host, HostOptions } from '../../src/index.ts';
import { createHost } from '../../src/index.ts';

/** A small test runner. Each file in `tests` is a test, and passes if its content is `pass`. It writes a JUnit report. */
const runner = `#!/bin/sh
failed=0; cases=
for file in tests/*; do
  name=$(basename "$file")
  case $(cat "$file") in
    pass) cases="$cases<testcase classname='cart' name='$name'/>" ;;
    skip) cases="$cases<testcase classname='cart' name='$name'><skipped/></testcase>" ;;
    *) failed=1; cases="$cases<testcase classname='cart' name='$name'><failure/></testcase>" ;;
  esac
done
mkdir -p reports
echo "<testsuites><testsuite>$cases</testsuite></testsuites>" > reports/junit.xml
echo ran
exit $failed
`;

/** The `checks.yaml` of the projects. */
export const checksText = `checks:
  test: {run: ./run-tests.sh, reports: [{junit: reports/junit.xml}]}
  slow: {run: "echo begun; sleep 1; echo over", timeout: 20s}
`;

/** A project in a git repository, with a host that works in it. */
export interface Project extends GitFolder {
  readonly stateDirectory: string;
  readonly host: Host;
  /** Opens another host for the same sessions. */
  open(options?: HostOptions): Host;
  remove(path: string): void;
  /** Trusts the checks of the project, as a person does at a terminal. */
  trust(): Promise<void>;
}

const files: Readonly<Record<string, string>> = {
  'run-tests.sh': runner,
  'tests/adds': 'pass',
  'tests/removes': 'pass',
  'src/cart.txt': 'a cart\n',
  '.gitignore': 'reports\n',
  '.workflowlookup/checks.yaml': checksText,
};

/** Returns a step workflow with a step that requires this evidence, and another step. */
function workflowWith(
  evidence: readonly Evidence[],
  { step, isAdvisory }: { readonly step: object; readonly isAdvisory: boolean },
): ReturnType<typeof defineWorkflow> {
  return defineWorkflow({
    id: 'build-it',
    name: 'Build it',
    description: 'Builds something and proves that it works.',
    version: '1.0.0',
    enforcement: isAdvisory ? 'advisory' : 'strict',
    steps: [
      { id: 'build', title: 'Build', prompt: 'Build it.', evidence, ...step },
      { id: 'report', title: 'Report', prompt: 'Report it.' },
    ],
  });
}

export function makeProject(
  evidence: readonly Evidence[],
  {
    without = [],
    step = {},
    isAdvisory = false,
    ...options
  }: HostOptions & {
    readonly without?: readonly string[];
    readonly step?: object;
    readonly isAdvisory?: boolean;
  } = {},
): Project {
  const { folder, git, write, commit } = makeGitFolder();
  const stateDirectory = mkdtempSync(join(tmpdir(), 'state-'));
  for (const [path, text] of Object.entries(files)) if (!without.includes(path)) write(path, text);
  chmodSync(join(folder, 'run-tests.sh'), 0o755);
  commit();
  const open = (own: HostOptions = {}): Host => {
    const host = createHost({
      definitions: [workflowWith(evidence, { step, isAdvisory })],
      includeBundled: false,
      includeUser: false,
      stateDirectory,
      workingDirectory: folder,
      environment: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
      evidence: true,
      ...options,
      ...own,
    });
    onTestFinished(() => host.close());
    return host;
  };
  const host = open();
  return {
    folder,
    stateDirectory,
    host,
    open,
    git,
    write,
    remove: (path) => rmSync(join(folder, path), { recursive: true }),
    commit,
    trust: () => trustChecks(host, folder),
  };
}

/** Trusts the checks of a folder as they are now, for the servers with a state directory. */
export async function trustChecksIn(stateDirectory: string, folder: string): Promise<void> {
  const host = createHost({ stateDirectory, workingDirectory: folder });
  await trustChecks(host, folder);
  await host.close();
}

async function trustChecks(host: Host, folder: string): Promise<void> {
  const found = await readProjectChecks(folder);
  if (found === undefined) throw new Error('The project has no checks');
  host.trust.checks.trust(found, 'ada');
}

/** An agent at the step that requires evidence. */
export interface Agent {
  token: string;
  readonly sessions: Sessions;
  collect(more?: object): Promise<Collected['evidence']>;
  /** Leaves the step. Returns the next activity, or the code and message of the refusal. */
  next(entry?: Readonly<Record<string, string>>): Promise<{
    readonly activity?: string;
    readonly code?: string;
    readonly message?: string;
    readonly warnings?: readonly string[];
  }>;
}

export async function startAgent(
  { host }: Pick<Project, 'host'>,
  variables: Readonly<Record<string, Json>> = {},
): Promise<Agent> {
  const { sessions } = host;
  const started = await sessions.start({ agentId: 'agent', workflowId: 'build-it' });
  const entered = await sessions.move(started.token, { variables });
  return agentWith(sessions, entered.token);
}

export function agentWith(sessions: Sessions, token: string): Agent {
  const agent: Agent = {
    token,
    sessions,
    async collect(more = {}) {
      const reply: Reply<Collected> = await sessions.collect(agent.token, { waitMs: 20_000, ...more });
      agent.token = reply.token;
      return reply.value.evidence;
    },
    async next(entry = {}) {
      try {
        const manifest = [{ step_id: 'build', output: 'All 57 tests pass.', ...entry }];
        const reply = await sessions.move(agent.token, { manifest });
        agent.token = reply.token;
        const { value, warnings } = reply;
        return { activity: value.status === 'active' ? value.activity : 'end', warnings };
      } catch (error) {
        if (!(error instanceof WorkflowError)) throw error;
        return { code: error.code, message: error.message };
      }
    },
  };
  return agent;
}

/** Returns a command that waits until a test calls `letGo`. `begun` resolves when it has started. */
export function waitingCommand(project: Project): {
  readonly run: string;
  readonly begun: () => Promise<void>;
  readonly letGo: () => void;
  /** Makes the next run of the command wait too. */
  readonly holdAgain: () => void;
} {
  const begun = join(project.stateDirectory, 'command-begun');
  const go = join(project.stateDirectory, 'command-go');
  return {
    run: `touch ${begun}; while [ ! -e ${go} ]; do sleep 0.05; done`,
    begun: async () => {
      while (!existsSync(begun)) await pause(20);
    },
    letGo: () => {
      writeFileSync(go, '');
    },
    holdAgain: () => {
      for (const file of [begun, go]) rmSync(file);
    },
  };
}
