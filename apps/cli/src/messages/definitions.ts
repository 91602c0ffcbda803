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
