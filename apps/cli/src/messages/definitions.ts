export const definitionMessages = {
  none: (paths: readonly string[]) =>
    `There are no definitions in '${paths.join("', '")}'. Name a .json, .yaml or .yml file, or a folder with definitions.`,
  notDefinition: (path: string) =>
    `'${path}' is not a definition. Name a .json, .yaml or .yml file, the folder of an activity workflow, or a file in it.`,
  notStepWorkflow: (path: string) =>
    `'${path}' is not a file of a step workflow. Name .json, .yaml or .yml files.`,
  refused: (count: number) =>
    `${count === 1 ? 'One definition has errors and is' : `${count} definitions have errors and are`} not served. See the errors: workflowlookup lint`,
  untrusted: (count: number, names: readonly string[]) =>
    `Agents do not get ${count === 1 ? 'one definition' : `${count} definitions`} of this project. Review ${count === 1 ? 'it' : 'them'}: workflowlookup trust${names.map((name) => `\n  ${name}`).join('')}${count > names.length ? `\n  and ${count - names.length} more` : ''}`,
  nameToDraw:
    'Name the workflow to draw, or a session with --session. See the workflows: workflowlookup list',
  otherWorkflow: (session: string, actual: string, named: string) =>
    `Session '${session}' belongs to workflow '${actual}', not '${named}'. Leave the workflow out.`,
} as const;

export const trustMessages = {
  noMatch: (name: string) =>
    `'${name}' is neither the path nor the id of a definition of this project that needs trust. See the definitions: workflowlookup trust --list`,
  nothingAt: (path: string) => `Nothing at '${path}' was trusted. See what is: workflowlookup trust --list`,
  nameToRemove: 'Name what you no longer trust: workflowlookup trust --remove PATH',
  removed: (count: number, path: string) =>
    `Removed ${count === 1 ? '1 entry' : `${count} entries`}. Agents no longer get '${path}'.`,
  notFolder: (path: string) => `'${path}' is not a folder.`,
  folderWarning: (folder: string) =>
    `Trust every definition in '${folder}', now and after each later change?\nAgents then get them without another question. The exception is a definition that replaces one that comes with the server or one in your home directory: 'workflowlookup trust' asks about it after each change.\nYou trust the path, so this also applies to another folder that is put there later. Do it only if you trust everyone who can write to this folder.`,
  folderQuestion: 'Trust this folder? (y/N) ',
  folderTrusted: (path: string) => `The folder '${path}' is trusted.`,
  declined: 'Nothing was trusted.',
  noneListed: 'No definition of this project needs trust.',
  noneWaiting: 'No definition of this project is waiting for trust.',
  question: 'Trust this definition? (y/N) ',
  replaceQuestion: (source: string, id: string) =>
    `To trust it and replace the ${source} workflow, type ${id} (Enter: don't): `,
  needsTerminal:
    "Only a person at a terminal can trust definitions, and standard input is not a terminal. Run 'workflowlookup trust' at a terminal.",
  invalidRecord: (problem: string) => `The trust record can't be used: ${problem}.`,
  untrustedWorkflow: (id: string, command: string) =>
    `Workflow '${id}' is a file of this project that no person has trusted, so it is shown only at a terminal. Review it at a terminal: ${command}`,
  notServed: (id: string, reason: string) =>
    `Agents do not get '${id}': ${reason}. Trust it: workflowlookup trust ${id}`,
  otherFile: (id: string, reason: string, source: string) =>
    `This is the ${source} workflow. This project also has a file for '${id}', which is not served: ${reason}. Review it: workflowlookup trust ${id}`,
} as const;
