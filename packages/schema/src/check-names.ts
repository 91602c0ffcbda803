import type { ActivityWorkflow, PartBase } from './activity-workflow.ts';
import type { FileFinding } from './file-finding.ts';

/** Activities, skills and resources that share an id with one before them, and the same of variables and modes. */
export function* checkNames(workflow: ActivityWorkflow, file: string): Generator<FileFinding> {
  const { variables = [], modes = [] } = workflow.definition;
  yield* repeated('activity', workflow.activities);
  yield* repeated('skill', workflow.skills);
  for (const finding of repeated('resource', workflow.resources)) yield { ...finding, severity: 'warning' };
  yield* repeatedIn(
    'variables',
    variables.map(({ name }) => name),
    file,
  );
  yield* repeatedIn(
    'modes',
    modes.map(({ id }) => id),
    file,
  );
}

function* repeated(
  kind: string,
  parts: readonly (PartBase & { readonly pointer?: string })[],
): Generator<FileFinding> {
  const files = new Map<string, string>();
  for (const { id, file, pointer = '' } of parts) {
    const first = files.get(id);
    if (first === undefined) files.set(id, file);
    else {
      const message = `Duplicate ${kind} id '${id}': '${first}' has it too`;
      const suggestion = `Give every ${kind} its own id`;
      yield { severity: 'error', code: 'duplicate-id', file, pointer: `${pointer}/id`, message, suggestion };
    }
  }
}

function* repeatedIn(
  list: 'modes' | 'variables',
  names: readonly string[],
  file: string,
): Generator<FileFinding> {
  const key = list === 'modes' ? 'id' : 'name';
  const firsts = new Map<string, number>();
  for (const [at, name] of names.entries()) {
    const first = firsts.get(name);
    if (first === undefined) {
      firsts.set(name, at);
      continue;
    }
    const message = `Duplicate ${key} '${name}': /${list}/${first} has it too`;
    const suggestion = 'Keep one of the two, or rename it';
    yield {
      severity: 'error',
      code: 'duplicate-id',
      file,
      pointer: `/${list}/${at}/${key}`,
      message,
      suggestion,
    };
  }
}
