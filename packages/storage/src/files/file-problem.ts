import type { FindingCode, Severity } from '@workflowlookup/schema';
import type { DefinitionProblem } from '../workflow-store.ts';
import { idOfFile } from './names.ts';
import { systemCode } from '../system-code.ts';

/** What is wrong with a file as a whole, whatever its text says. */
export interface FileFault {
  readonly code: DefinitionProblem['code'];
  readonly finding: FindingCode;
  readonly message: string;
  readonly suggestion?: string;
  readonly severity?: Severity;
}

/** The problem of a file whose text was not read; it goes by `id`, by default the file's base name. */
export function fileProblem(file: string, fault: FileFault, id = idOfFile(file)): DefinitionProblem {
  const { code, finding, severity = 'error', ...text } = fault;
  const issue = { severity, code: finding, pointer: '', ...text, line: 1, column: 1 };
  return { id, file, severity, code, issues: [issue] };
}

/** What to say of a file or folder the system did not let us read; `error` is what `node:fs` threw. */
export function unreadable(file: string, error: unknown): FileFault {
  const code = systemCode(error);
  const [reason, suggestion] = reasons[code] ?? [`can't be read (${code})`, 'Check the disk it is on'];
  const message = `${file === '.' ? 'The source' : `'${file}'`} ${reason}`;
  return { code: 'STORAGE', finding: 'unreadable-file', message, suggestion };
}

/** What to say of a pipe, socket or device that has the name of a definition. */
export function notRegular(file: string): FileFault {
  return {
    code: 'INVALID_WORKFLOW',
    finding: 'unreadable-file',
    message: `'${file}' is not a regular file`,
    suggestion: 'Put a regular file in its place',
  };
}

/** What to say of a file or folder that is not opened for its name; `file` is the name with everything in it visible. */
export function hiddenName(file: string): FileFault {
  return {
    code: 'SECURITY',
    finding: 'hidden-character',
    message: `The name '${file}' has characters that nobody sees, which are written out here`,
    suggestion: 'Rename it, with letters, digits and hyphens',
  };
}

/** What to say of a symbolic link that is not followed. */
export function leavesSource(file: string): FileFault {
  return {
    code: 'SECURITY',
    finding: 'leaves-source',
    message: `'${file}' is a symbolic link that leaves its source`,
    suggestion: 'Put a copy of the file into the source, or add its folder as a source of its own',
  };
}

/** What to say of a source that a symbolic link leads out of its project; nothing in it is opened. */
export const sourceLeavesProject: FileFault = {
  code: 'SECURITY',
  finding: 'leaves-source',
  message: 'The source is a symbolic link, or lies below one, that leads out of the project',
  suggestion: 'To serve what the link leads to, name that folder with --workflows',
};

/** The reader promises never to throw; one file that makes it break its word must not take the others along. */
export function unforeseen(file: string, error: unknown): FileFault {
  const kind = error instanceof Error ? error.name : typeof error;
  return {
    code: 'INVALID_WORKFLOW',
    finding: 'unreadable-file',
    message: `'${file}' can't be read: the reader failed on it (${kind})`,
    suggestion: 'Make the definition smaller and plainer until it is read',
  };
}

/** Whether a system error tells of a shortage that may be over in a moment. */
export function isPassing(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EBUSY'].includes(systemCode(error));
}

const reasons: Readonly<Record<string, readonly [reason: string, suggestion: string]>> = {
  EACCES: ["can't be read: permission denied", 'Let the user the server runs as read it'],
  EPERM: ["can't be read: permission denied", 'Let the user the server runs as read it'],
  ELOOP: ['is a symbolic link that leads in a circle', 'Point the link to a file of this source'],
  EMFILE: ["can't be read: too many files are open", 'It is tried again; raise the limit of open files'],
  ENFILE: ["can't be read: too many files are open", 'It is tried again; raise the limit of open files'],
  ENOENT: ['is gone, or a symbolic link that leads nowhere', 'Put the file back, or remove the link'],
  ENOTDIR: ['is not a folder', 'Name the folder that holds the definitions'],
};
