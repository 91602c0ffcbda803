import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defineWorkflow } from '@workflowlookup/core';
import { createHost } from '@workflowlookup/host';
import { interleave } from '../figures/interleave.mjs';
import { compare, informative } from '../figures/result.mjs';

export const name = 'evidence';

const execute = promisify(execFile);

const fileCount = 50_000;
const filesInFolder = 100;

/** Measures how much time evidence adds to the command that it records, and how long a large tree takes. */
export async function run(bench) {
  // The small project comes first. Creating 50,000 files for the large one increases the memory of this process, and
  // the more memory a process has, the longer it takes to start another one.
  const rows = [];
  for (const [folder, count, measure] of [
    ['evidence-small', 20, measureCommand],
    ['evidence-large', fileCount, measureTree],
  ]) {
    const project = await makeProject(join(bench.scratch, folder), count);
    try {
      rows.push(...(await measure(project)));
    } finally {
      await project.host.close();
    }
  }
  return rows;
}

/** Makes a git repository with a check of 10 ms, and a session at a step that asks for it. */
async function makeProject(folder, count) {
  const git = (...args) =>
    execute('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: folder });
  for (let from = 0; from < count; from += filesInFolder) {
    const part = join(folder, 'src', String(from));
    await mkdir(part, { recursive: true });
    const size = Math.min(filesInFolder, count - from);
    await Promise.all(
      Array.from({ length: size }, (_, at) => writeFile(join(part, `${at}.txt`), `file ${from + at}\n`)),
    );
  }
  await mkdir(join(folder, '.workflowlookup'));
  await writeFile(join(folder, '.workflowlookup/checks.yaml'), 'checks: {test: {run: sleep 0.01}}\n');
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '-m', 'Files');
  const host = createHost({
    definitions: [workflow],
    includeBundled: false,
    includeUser: false,
    includeProject: false,
    stateDirectory: `${folder}-state`,
    workingDirectory: folder,
    evidence: true,
    minResponseMs: 0,
  });
  const { readProjectChecks } = await import('@workflowlookup/evidence');
  host.trust.checks.trust(await readProjectChecks(folder), 'ada');
  const { sessions } = host;
  const started = await sessions.start({ agentId: 'agent', workflowId: workflow.id });
  const { token } = await sessions.move(started.token, {});
  return { folder, git, host, sessions, token };
}

const workflow = defineWorkflow({
  id: 'prove',
  name: 'Prove',
  description: 'Proves a change.',
  version: '1.0.0',
  steps: [{ id: 'build', title: 'Build', prompt: 'Build it.', evidence: [{ id: 'tests', check: 'test' }] }],
});

async function timed(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

async function measureCommand({ folder, sessions, ...project }) {
  let { token } = project;
  let round = 0;
  const { ours, baseline } = await interleave(
    {
      baseline: () => timed(() => execute('/bin/sh', ['-c', 'sleep 0.01'], { cwd: folder })),
      async ours() {
        // Without a change, the evidence stays valid and is not collected again.
        round += 1;
        await writeFile(join(folder, 'src/0/0.txt'), `round ${round}\n`);
        return timed(async () => {
          const reply = await sessions.collect(token, { waitMs: 20_000 });
          if (reply.value.evidence[0].status !== 'passed')
            throw new Error(`The check did not pass: ${reply.value.evidence[0].message}`);
          ({ token } = reply);
        });
      },
    },
    { rounds: 40, warmUp: 5 },
  );
  const beyond = ours.map((ms, at) => ms - 1.5 * baseline[at]);
  const row = informative('time beyond 1.5 times the command', { unit: 'ms', ours: beyond });
  return [
    compare('command of 10 ms', {
      unit: 'ms',
      ours,
      baseline,
      note: 'the baseline runs the command alone',
    }),
    { ...row, bound: '≤ 20 ms', holds: row.ours.median <= 20 },
  ];
}

async function measureTree({ git, sessions, token }) {
  const series = await interleave(
    { baseline: () => timed(() => git('status')), ours: () => timed(() => sessions.status(token)) },
    { rounds: 10, warmUp: 2 },
  );
  return [
    compare(`get_workflow_status, ${fileCount.toLocaleString('en')} files`, {
      unit: 'ms',
      ...series,
      atMost: 2,
      note: 'the baseline is git status',
    }),
  ];
}
