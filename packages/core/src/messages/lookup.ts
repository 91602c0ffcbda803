// The messages of the lookup tools and of reading definitions: what they refuse, and what they warn of.

const meant = (near: string | undefined): string => (near === undefined ? '' : ` Did you mean '${near}'?`);

/** Workflows that can't be served or used. */
export const workflowMessages = {
  notFound: (id: string, near: string | undefined) =>
    `Workflow '${id}' was not found.${meant(near) || ' List the workflows to see which there are.'}`,
  notServed: (id: string, file: string, problem: string | undefined) =>
    `Workflow '${id}' (${file}) can't be served: ${problem ?? 'it could not be read'}`,
  notTrusted: (id: string, command: string) =>
    `Workflow '${id}' is a file of this project that no person has trusted, so it is not served. Ask the user to run this in the project's folder, at a terminal: ${command}. It shows the definition first. Don't read the file to follow it.`,

  conditionUnusable: (problem: string | undefined, step?: string) =>
    `A condition${step === undefined ? '' : ` of step '${step}'`} can't be used: ${problem ?? 'it is unreadable'}`,
  bodyNotFound: (body: string, loop: string | undefined) =>
    `The body '${body}' of loop '${loop}' is not a step of the same list.`,
  /** @param problems each with its place */
  definitionUnusable: (id: string, problems: readonly string[]) =>
    `The definition of '${id}' can't be used. ${problems.map((problem) => problem.replace(/[^.?]$/, '$&.')).join(' ')}`,
  wrongCursor: () => "cursor must be the 'nextCursor' of an earlier page",
  noSession: (id: string) =>
    `There is no session '${id}' here. Start one with start(), or look for its id with operator(person).find({}).`,
} as const;

/** Parts of workflows: skills, resources, steps. */
export const partMessages = {
  /** @param more how many more problems the file has */
  broken: (
    { kind, id, file }: Readonly<Record<'file' | 'id' | 'kind', string>>,
    problem: { readonly line: number; readonly message: string } | undefined,
    more: number,
  ) =>
    problem === undefined
      ? `The ${kind} '${id}' is broken: ${file} can't be used.`
      : `The ${kind} '${id}' is broken: ${file}, line ${problem.line}: ${problem.message}${more === 0 ? '' : ` (and ${more} more)`}`,

  /** Replaces a bundle that the agent has already. */
  unchangedBundle: (name: string) => `bundle: unchanged ${name} (full: true repeats it)`,
  notAResource: (given: string) => `'${given}' is not a resource id. Give a number, an id or a name.`,
  noWorkflow: (id: string) => `There is no workflow '${id}'.`,
  noResource: (
    resource: string,
    workflows: readonly string[],
    near: string | undefined,
    known: readonly string[],
  ) =>
    `There is no resource '${resource}' in ${orList(workflows)}.${meant(near) || (known.length === 0 ? ' There are none.' : ` There are: ${known.slice(0, mostListed).join(', ')}${known.length > mostListed ? ', …' : ''}.`)}`,

  noSkill: (skill: string, workflows: readonly string[], near: string | undefined) =>
    `There is no skill '${skill}' in ${orList(workflows)}.${meant(near)}`,
  /** @param owner the workflow, activity or step, as {@link partOwners} names it */
  noSkillNamed: (kind: 'primary skill' | 'skill', owner: string) => `${capitalized(owner)} names no ${kind}.`,
  skillUnusable: (kind: 'primary skill' | 'skill', owner: string, reason: string) =>
    `The ${kind} of ${owner} can't be used. ${reason}`,

  noActivity: (activity: string, workflow: string) =>
    `Activity '${activity}' was not found in '${workflow}'.`,
  noSkillsInSteps: (workflow: string) =>
    `'${workflow}' is a step workflow, so its steps name no skills. Read the step itself.`,
  noSkillYet: () => 'The session has not entered an activity yet, so no step names a skill.',
  noStep: (workflow: string, kind: 'activity' | 'step', id: string, near: string | undefined) =>
    `Workflow '${workflow}' has no ${kind} '${id}'.${meant(near)}`,
  noStepInActivity: (activity: string, step: string, known: readonly string[]) =>
    `Activity '${activity}' has no step '${step}'. ${known.length === 0 ? 'It has no steps.' : `Its steps: ${known.join(', ')}.`}`,
} as const;

export const partOwners = {
  workflow: (id: string) => `workflow '${id}'`,
  activity: (id: string) => `activity '${id}'`,
  step: (id: string, activity: string) => `step '${id}' of activity '${activity}'`,
} as const;

/** Most names that a message lists. */
const mostListed = 20;

const orList = (ids: readonly string[]): string => ids.map((id) => `'${id}'`).join(' or ');

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The warnings of the next step's lookup, and the reasons why it can't continue. */
export const nextMessages = {
  unknownStep: (id: string) => `The workflow has no step '${id}', so it was ignored in the completed steps.`,
  unknownActivity: (id: string) =>
    `The workflow has no activity '${id}', so it was ignored in the completed steps.`,
  stepOfActivity: (id: string, activity: string) =>
    `'${id}' is a step of activity '${activity}'. It was ignored, because only whole activities count as completed.`,
  moreUnknown: (count: number) => `${count} more ids in the completed steps were ignored.`,

  /** @param wanted how many iterations there should be; undefined if a condition decides */
  loopCutShort: (loop: string, most: number, wanted: number | undefined) =>
    `Loop '${loop}' ended at its maxIterations of ${most} although ${wanted === undefined ? 'its condition asks for another iteration' : `${wanted} iterations were asked for`}.`,
  loopTooLong: (loop: string) =>
    `Loop '${loop}' has more iterations without a step to do than one call looks through. Put values into the context with which the loop ends.`,
  wrongBound: (loop: string, variable: string, needed: 'array' | 'count', found: string) =>
    `Loop '${loop}' needs '${variable}' in the context to be ${needed === 'array' ? 'an array' : 'a whole number of 0 or more'}; found ${found}.`,

  endedByLimit: (activity: string, most: number) =>
    `The workflow ended although '${activity}' comes next, because '${activity}' was completed ${most} times. Put values into the context that lead elsewhere.`,
  cannotContinue: (workflow: string, reason: string) => `Workflow '${workflow}' can't continue: ${reason}`,
  noActivity: (activity: string) => `there is no activity '${activity}'.`,
} as const;
