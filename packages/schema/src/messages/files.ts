import { maxDefinitionBytes, maxDefinitionValues, maxDepth } from '../limits.ts';
import { error, servedError, warning } from './workflow.ts';

// Every problem with the files of a workflow: their names, the activities they list, their size, and hidden characters.

export const fileMessages = {
  noWorkflowFile: () =>
    error(
      'missing-property',
      'The folder has no workflow file',
      "Add 'workflow.yaml' with id, version and title",
    ),
  secondWorkflowFile: (used: string) =>
    servedError('file-name', `There is a second workflow file; only '${used}' is used`, 'Remove one'),
  jsonSchemaFile: () =>
    error(
      'not-a-definition',
      'This is a JSON Schema, but a workflow is expected',
      'Move it out of the folders of definitions',
    ),

  // Names

  folderNamedOtherwise: (id: string, folder: string) =>
    warning(
      'file-name',
      `The id is '${id}', but the folder is named '${folder}'`,
      'Name the folder after the id',
    ),
  fileNamedOtherwise: (id: string, name: string) =>
    warning('file-name', `The id is '${id}', but the file is named '${name}'`, 'Name the file after the id'),
  badFileName: (file: string) =>
    error(
      'file-name',
      `File name '${file}' contains characters other than A-Z, a-z, 0-9, '_', '.' and '-'`,
      'Rename the file',
    ),
  sameFileName: (file: string, first: string) =>
    error(
      'file-name',
      `'${file}' and '${first}' differ only in the extension, which references leave out`,
      'Remove or rename one',
    ),
  fileWithoutNumber: (path: string, name: string) =>
    error(
      'file-name',
      `File name '${name}' does not start with a number`,
      `Rename it to '${path}NN-${name}'`,
    ),

  // Activities listed in the workflow file

  activityListedTwice: (entry: string) =>
    warning('repeated-item', `Activity '${entry}' is listed twice`, 'Remove one of the two'),
  malformedEntry: (entry: string) =>
    servedError(
      'unknown-activity',
      `Activity '${entry}' is not a path to a file of a workflow`,
      "Write 'workflow/activities/file'",
    ),
  missingActivityFile: (entry: string, file: string) =>
    servedError(
      'unknown-activity',
      `Activity '${entry}' is listed, but there is no such file`,
      `Add 'activities/${file}', or correct the name`,
    ),
  borrowedWorkflowMissing: (entry: string, workflow: string) =>
    servedError(
      'unknown-activity',
      `Activity '${entry}' can't be borrowed: workflow '${workflow}' was not found`,
      'Correct the name, or add the workflow',
    ),
  borrowedFileMissing: (entry: string, workflow: string) =>
    servedError(
      'unknown-activity',
      `Activity '${entry}' can't be borrowed: workflow '${workflow}' has no such file`,
      'Correct the name, or add the file',
    ),
  borrowedFileBroken: (entry: string, reason = 'It is unreadable') =>
    servedError(
      'unknown-activity',
      `Activity '${entry}' can't be borrowed because its file has an error: ${reason}`,
      'Correct that file',
    ),

  // Limits

  tooLarge: (what: 'aliases' | 'text') =>
    error(
      'beyond-limits',
      `${what === 'text' ? 'The text has' : 'The aliases expand to'} more than ${maxDefinitionBytes} bytes, the maximum for a definition`,
      'Move long material out of the workflow, or split it',
    ),
  tooDeep: () =>
    error(
      'beyond-limits',
      `Nested deeper than ${maxDepth} levels, the maximum for a definition`,
      'Flatten the document',
    ),
  tooManyValues: (what: 'values' | 'YAML tokens') =>
    error(
      'beyond-limits',
      `More than ${maxDefinitionValues} ${what}, the maximum for a definition`,
      'Split the workflow',
    ),

  // Content

  duplicateKey: (name: string, firstLine: number) =>
    error(
      'duplicate-key',
      `Duplicate key '${name}': the same object has it on line ${firstLine}`,
      'Remove one of the two',
    ),
  numberOutOfRange: () =>
    error('wrong-value', 'Number out of range', 'Write a number between -1.7e308 and 1.7e308'),
  hiddenCharacter: (name: string) =>
    error('hidden-character', `Hidden character ${name}`, 'Remove it, or write visible text instead'),
} as const;
