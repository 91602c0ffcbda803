import { maxDefinitionBytes, maxDefinitionValues, maxDepth } from '../limits.ts';
import type { Message } from './workflow.ts';

// Every message about the files of a workflow: their names, the activities they list, their size, and hidden characters.

export const noWorkflowFile: Message = {
  message: 'The folder has no workflow file',
  suggestion: "Add 'workflow.yaml' with id, version and title",
};

export function secondWorkflowFile(used: string): Message {
  return { message: `There is a second workflow file; only '${used}' is used`, suggestion: 'Remove one' };
}

export const jsonSchemaFile: Message = {
  message: 'This is a JSON Schema, but a workflow is expected',
  suggestion: 'Move it out of the folders of definitions',
};

// Names

export function folderNamedOtherwise(id: string, folder: string): Message {
  return {
    message: `The id is '${id}', but the folder is named '${folder}'`,
    suggestion: 'Name the folder after the id',
  };
}

export function fileNamedOtherwise(id: string, name: string): Message {
  return {
    message: `The id is '${id}', but the file is named '${name}'`,
    suggestion: 'Name the file after the id',
  };
}

export function badFileName(file: string): Message {
  return {
    message: `File name '${file}' contains characters other than A-Z, a-z, 0-9, '_', '.' and '-'`,
    suggestion: 'Rename the file',
  };
}

export function sameFileName(file: string, first: string): Message {
  return {
    message: `'${file}' and '${first}' differ only in the extension, which references leave out`,
    suggestion: 'Remove or rename one',
  };
}

export function fileWithoutNumber(path: string, name: string): Message {
  return {
    message: `File name '${name}' does not start with a number`,
    suggestion: `Rename it to '${path}NN-${name}'`,
  };
}

// Activities listed in the workflow file

export function activityListedTwice(entry: string): Message {
  return { message: `Activity '${entry}' is listed twice`, suggestion: 'Remove one of the two' };
}

export function malformedEntry(entry: string): Message {
  return {
    message: `Activity '${entry}' is not a path to a file of a workflow`,
    suggestion: "Write 'workflow/activities/file'",
  };
}

export function missingActivityFile(entry: string, file: string): Message {
  return {
    message: `Activity '${entry}' is listed, but there is no such file`,
    suggestion: `Add 'activities/${file}', or correct the name`,
  };
}

export function borrowedWorkflowMissing(entry: string, workflow: string): Message {
  return {
    message: `Activity '${entry}' can't be borrowed: workflow '${workflow}' was not found`,
    suggestion: 'Correct the name, or add the workflow',
  };
}

export function borrowedFileMissing(entry: string, workflow: string): Message {
  return {
    message: `Activity '${entry}' can't be borrowed: workflow '${workflow}' has no such file`,
    suggestion: 'Correct the name, or add the file',
  };
}

export function borrowedFileBroken(entry: string, reason = 'It is unreadable'): Message {
  return {
    message: `Activity '${entry}' can't be borrowed because its file has an error: ${reason}`,
    suggestion: 'Correct that file',
  };
}

// Limits

/** `what` is the subject with its verb, such as `The text has`. */
export function tooLarge(what: string): Message {
  return {
    message: `${what} more than ${maxDefinitionBytes} bytes, the maximum for a definition`,
    suggestion: 'Move long material out of the workflow, or split it',
  };
}

export const tooDeep: Message = {
  message: `Nested deeper than ${maxDepth} levels, the maximum for a definition`,
  suggestion: 'Flatten the document',
};

export function tooManyValues(what: 'values' | 'YAML tokens'): Message {
  return {
    message: `More than ${maxDefinitionValues} ${what}, the maximum for a definition`,
    suggestion: 'Split the workflow',
  };
}

// Content

export function duplicateKey(name: string, firstLine: number): Message {
  return {
    message: `Duplicate key '${name}': the same object has it on line ${firstLine}`,
    suggestion: 'Remove one of the two',
  };
}

export const numberOutOfRange: Message = {
  message: 'Number out of range',
  suggestion: 'Write a number between -1.7e308 and 1.7e308',
};

export function hiddenCharacter(name: string): Message {
  return {
    message: `Hidden character ${name}`,
    suggestion: 'Remove it, or write visible text instead',
  };
}
