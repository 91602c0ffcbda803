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

export const sourceMessages = {
  unusable: "It can't be used",
  absent: 'not there',
  untrusted: (count: number, names: readonly string[]) =>
    `${count} not served to agents${names.length === 0 ? '' : ` (${names.join(', ')})`}: workflowlookup trust`,
  shadowed: (id: string, file: string, isBroken: boolean, winner: string) =>
    `${id} (${file}) is ${isBroken ? 'hidden by the broken file of' : 'overridden by'} ${winner}`,
} as const;

/** The parts of an outline of a workflow. */
export const outlineMessages = {
  from: (source: string, file: string) => `From ${source}: ${file}`,
  variables: 'Variables',
  when: (condition: string) => `when ${condition}`,
  repeats: (step: string | undefined, rounds: string) =>
    `repeats ${step === undefined ? '' : `step '${step}' `}${rounds}`,
  human: 'a person confirms it',
  any: 'the user confirms it',
  agent: 'the agent confirms it',
  refusedWith: (sentence: string) => `refused with: ${sentence}`,
  fields: 'asks for',
  field: (takes: string, isRequired: boolean, names: readonly string[]) =>
    `${takes}${isRequired ? '' : ', optional'}${names.length === 0 ? '' : `; sets ${names.join(', ')}`}`,
  first: 'first',
  borrowed: (workflow: string) => `borrowed from ${workflow}`,
  step: (title: string, notes: string) => `step ${title}${notes}`,
  stopsAt: (checkpoint: string) => `stops at ${checkpoint}`,
  optional: 'may be left out',
  starts: (workflow: string) => `starts ${workflow}`,
  loop: (id: string, names: readonly string[], notes: string) =>
    `loop ${id}${names.length === 0 ? '' : ` over ${names.join(', ')}`}${notes}`,
  checkpoint: (title: string, notes: string) => `checkpoint ${title}${notes}`,
  personAnswers: 'a person answers',
  sets: (name: string, value: string) => `sets ${name} = ${value}`,
  leadsTo: (activity: string) => `leads to ${activity}`,
  skips: (names: readonly string[]) => `skips ${names.join(', ')}`,
  transition: (to: string | undefined, when: string | undefined, isDefault: boolean, decision?: string) =>
    `-> ${to ?? 'on'}${when === undefined ? '' : ` when ${when}`}${isDefault ? ' by default' : ''}${decision === undefined ? '' : `  (decision ${decision})`}`,
} as const;

/** Parts of the texts in a drawing. */
export const drawingTexts = {
  byPerson: 'answered by a person',
  optional: 'optional',
  when: (condition: string) => `when ${condition}`,
  starts: (workflows: string) => `starts ${workflows}`,
  of: (lender: string) => `of ${lender}`,
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
  notServed: (id: string, reason: string) =>
    `Agents do not get '${id}': ${reason}. Trust it: workflowlookup trust ${id}`,
  otherFile: (id: string, reason: string, source: string) =>
    `This is the ${source} workflow. This project also has a file for '${id}', which is not served: ${reason}. Review it: workflowlookup trust ${id}`,
  held: (id: string | undefined, source: string | undefined, reason: string) =>
    `${id ?? '(no id)'} from ${source ?? 'the project'}: ${reason}`,
  changed: 'it has changed since a person trusted it',
  untrusted: 'no person has trusted it',
  replacesMeta: "a project can't replace the shared workflow 'meta'",
  wouldReplace: (source: string, id: string) =>
    `it would replace the ${source} workflow '${id}', and no person has agreed to this version`,
  folderListed: (path: string, by: string, day: string) => `trusted folder  ${path}  (${by}, ${day})`,
  listed: (path: string, by: string, day: string, isChanged: boolean, replaces: string | undefined) =>
    `${isChanged ? 'trusted before ' : 'trusted        '} ${path}  (${by}, ${day})${isChanged ? ', changed since' : ''}${replaces === undefined ? '' : `, replaces ${replaces}`}`,
  heldListed: (held: string) => `not served      ${held}`,
  decided: (trusted: number, of: number, count: number) =>
    `${trusted} of ${of} trusted${count === 0 ? '.' : `; agents are not served the ${count === 1 ? 'other one' : `other ${count}`}.`}`,
} as const;

/** What a person reads about a definition before deciding whether to trust it. */
export const reviewMessages = {
  head: (number: number, of: number, path: string) => `${number} of ${of}: ${path}`,
  definition: (id: string, source: string, title: string | undefined) =>
    `id ${id}, from ${source}${title === undefined ? '' : `: ${title}`}`,
  hidden: "Characters that can't be seen",
  commands: 'Lines that look like commands',
  checkpoints: 'Checkpoints',
  checkpoint: (id: string, needsPerson: boolean, message: string) =>
    `${id} (${needsPerson ? 'needs a person' : 'an agent may answer'}): ${message}`,
  problems: 'Problems',
  notReadable:
    "It can't be trusted: its name has characters that can't be seen, or the file can't be read as text, is too large, or is a link that leads out of the project.",
  replacesMeta:
    "It can't be trusted: a project can't replace 'meta', which all workflows share. Give it another id.",
  hasHidden:
    "It can't be trusted: it has characters that can't be seen. 'workflowlookup lint --fix' removes soft hyphens, zero-width spaces, word joiners and byte order marks; remove all others in an editor.",
  hasErrors:
    "It can't be trusted: it has errors and would not be served. Fix them first: workflowlookup lint",
  replaces: (source: string, id: string) => `It replaces the ${source} workflow '${id}'.`,
  sameCheckpoints: '  The checkpoints are the same.',
  text: 'What it says',
  changes: 'What changed since you trusted it',
  moreLines: (count: number) =>
    `… ${count} more ${count === 1 ? 'line' : 'lines'}: read the rest in an editor before you trust it`,
  more: (count: number) => `… and ${count} more`,
} as const;

/** How the checkpoints differ from those of the workflow that a definition replaces. */
export const replacedCheckpoints = {
  missing: '  It does not have these checkpoints',
  weaker: '  An agent may answer these, which need a person in the workflow that it replaces',
  added: '  It also has these',
} as const;

/** How the checkpoints have changed since a person trusted the definition. */
export const changedCheckpoints = {
  missing: 'Checkpoints removed since you trusted it',
  weaker: 'Checkpoints that needed a person and that an agent may answer now',
  added: 'Checkpoints added since you trusted it',
} as const;
