import { readdir } from 'node:fs/promises';
import type { UntrustedDefinition } from '@workflowlookup/core';
import type { Host } from '@workflowlookup/host';
import { shellWord } from '../render/shell-word.ts';
import type { Check } from './check.ts';
import { fine, problem, skipped } from './check.ts';
import { systemCodeOf } from './system-code-of.ts';

type Source = Host['sources'][number];

/** Whether each directory that definitions come from is there and can be read, and whether what is in them can be used. */
export async function checkSources({ sources, engine }: Host): Promise<readonly Check[]> {
  const found = await Promise.all(sources.map(checkSource));
  const { problems = [], untrusted = [] } = await engine.list();
  const served = await engine.summaries();
  // A source that can't be read is itself among the problems, as `.`.
  const broken = problems.filter(({ severity, file }) => severity === 'error' && file !== '.');
  const says = `${countOf(served.length, 'workflow')} served`;
  const trust = untrusted.length === 0 ? [] : [untrustedCheck(untrusted)];
  if (broken.length === 0) return [...found, fine('definitions', says), ...trust];
  const files = broken.map(({ file }) => file).join(', ');
  const fix = 'Read what is wrong: workflowlookup lint';
  return [
    ...found,
    problem('definitions', `${says}, ${countOf(broken.length, 'file')} not: ${files}`, fix),
    ...trust,
  ];
}

function untrustedCheck(untrusted: readonly UntrustedDefinition[]): Check {
  const ids = untrusted.slice(0, 20).flatMap(({ id }) => (id === undefined ? [] : [id]));
  const named = ids.length === 0 ? '' : `: ${ids.join(', ')}`;
  const says = `${countOf(untrusted.length, 'definition')} of this project not served to agents${named}`;
  return {
    ...skipped('trust', says),
    fix: 'Look at them, and trust those you agree with: workflowlookup trust',
  };
}

function countOf(count: number, what: string): string {
  return count === 1 ? `1 ${what} is` : `${count} ${what}s are`;
}

async function checkSource({ name, directory }: Source): Promise<Check> {
  const title = `source ${name}`;
  try {
    await readdir(directory);
    return fine(title, directory);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT') return absent({ name, directory }, title);
    if (code === 'ENOTDIR')
      return problem(title, `${directory} is no directory`, 'Name the directory that holds the files.');
    return problem(
      title,
      `${directory} can't be read (${code})`,
      `Let this user read it: chmod u+rx ${shellWord(directory)}`,
    );
  }
}

/** Of the directories that are looked into anyway, only those that were named must be there. */
function absent({ name, directory }: Source, title: string): Check {
  if (name === 'bundled') return problem(title, `${directory} is missing`, 'Install workflowlookup again.');
  if (!name.startsWith('custom')) return skipped(title, `${directory} is not there`);
  return problem(
    title,
    `${directory} is not there`,
    'Make it, or leave it out of --workflows and WORKFLOW_STORAGE_PATH.',
  );
}
