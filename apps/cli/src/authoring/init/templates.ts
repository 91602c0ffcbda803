export interface Template {
  readonly kind: 'activity' | 'step';
  readonly name: string;
  /** A few words about what the template shows. */
  readonly about: string;
  /** The text of `workflow.yaml` after the names of the workflow. */
  readonly workflow: string;
  /** The other files of an activity workflow, by their path in its folder. */
  readonly parts?: Readonly<Record<string, string>>;
}

/** Returns the text of `workflow.yaml`. The names are YAML scalars. */
export function workflowText(
  { kind, workflow }: Template,
  { id, title }: { readonly id: string; readonly title: string },
): string {
  return `id: ${id}
${kind === 'step' ? 'name' : 'version: 0.1.0\ntitle'}: ${title}
# Agents choose a workflow by its description. Say what it is for and when to use it.
${workflow}`;
}

/** Steps in a sequence, each with an output that is checked. */
const stepSequence: Template = {
  kind: 'step',
  name: 'sequence',
  about: 'steps in a sequence, each with a checked output',
  workflow: `description: Describes the task, does it, and shows that it is done.
version: 0.1.0
steps:
  - id: understand
    title: Understand the task
    # The instructions for the agent. Ask for one thing.
    prompt: >-
      Read the request and everything it refers to. Describe the task in your own words.
    # What the output must have. An output without one of these fields is refused, with the name of the field.
    fields:
      - { id: task, description: The task in your own words, min_length: 20 }
      - { id: doneWhen, description: How another person can check that it is done }
  - id: do-it
    title: Do it
    prompt: >-
      Do the task, and nothing else.
    fields:
      - { id: changes, type: list, min_items: 1, description: What you changed }
  - id: show-it
    title: Show that it is done
    prompt: >-
      Do the check that you named in doneWhen.
    fields:
      - { id: ran, description: What you ran }
      - { id: seen, description: 'The result, word for word' }
`,
};

/** Steps that depend on a variable, and one that needs a confirmation. */
const stepBranches: Template = {
  kind: 'step',
  name: 'branches',
  about: 'steps that depend on a variable, and one that a person confirms',
  workflow: `description: Estimates the size of a change, plans it if it is large, and makes it.
version: 0.1.0
# Names of variables in texts and conditions are checked against these declarations.
variables:
  - name: size
    type: string
    description: small or large. Set by size-it.
    # Only this step may set it, because the size decides whether a person is asked.
    set_by: [size-it]
steps:
  - id: size-it
    title: Estimate the size
    prompt: >-
      Say how many places must change and what could break.
    fields:
      - { id: places, type: number, min: 1, description: How many places must change }
      - { id: risk, description: What could break }
      - { id: size, type: choice, options: [small, large] }
    # The variable on the left is set to the field on the right.
    sets: { size: size }
  - id: plan
    title: Plan the change
    # The step is skipped unless this condition is true.
    runCondition: size == "large"
    # A person must confirm the plan before the next step.
    requireConfirmation: true
    approver: human
    prompt: >-
      Plan the order of the changes, so that everything works after each of them. Show the plan, and wait until
      the person confirms it.
  - id: change
    title: Make the change
    prompt: >-
      Make the change, one place after the other.
    fields:
      - { id: changes, type: list, min_items: 1, description: What you changed }
`,
};

/** A step that makes a list, and a loop over its items. */
const stepLoop: Template = {
  kind: 'step',
  name: 'loop',
  about: 'a step that makes a list, and steps for each item of the list',
  workflow: `description: Finds all places that need work, works on them one after the other, and reports.
version: 0.1.0
variables:
  - name: places
    type: array
    description: The places to work on. Set by find-places.
steps:
  - id: find-places
    title: Find the places
    prompt: >-
      Find every place that needs work.
    fields:
      - { id: places, type: list, description: Every place that needs work }
    # The variable on the left is set to the field on the right.
    sets: { places: places }
  - id: each-place
    type: loop
    title: Each place
    # One iteration for each item of the list, and never more than maxIterations.
    loop:
      type: forEach
      items: places
      itemVar: place
      maxIterations: 100
    body:
      - id: work-on-it
        title: Work on one place
        prompt: >-
          Work only on {{place}}.
        fields:
          - { id: result, type: choice, options: [done, left] }
          - { id: what, description: 'What you did, or why there was nothing to do' }
  - id: report
    title: Report
    prompt: >-
      Say how many places you found, how many you worked on, and which ones you left unchanged and why.
    fields:
      - { id: found, type: number, min: 0 }
      - { id: done, type: number, min: 0 }
      - { id: left, type: list, description: 'Each place that you left unchanged, and why' }
`,
};

/** Two activities, with a transition that depends on variables. */
const activitySequence: Template = {
  kind: 'activity',
  name: 'sequence',
  about: 'activities with steps, and transitions that depend on variables',
  workflow: `description: Prepares a task, collects what it needs, and does it.
initialActivity: prepare
variables:
  - name: isReady
    type: boolean
    description: Whether everything needed to begin is available. Set by prepare.
    defaultValue: false
`,
  parts: {
    'activities/01-prepare.yaml': `id: prepare
version: 0.1.0
name: Prepare
description: Find out what the task is and what it needs.
steps:
  - id: read-request
    name: Read the request
    description: Read the request and everything it refers to.
    # What the output must have. An output without one of these fields is refused, with the name of the field.
    fields:
      - { id: task, description: The task in your own words, min_length: 20 }
      - { id: doneWhen, description: How to check that it is done }
  - id: gather
    name: Gather what is needed
    description: List everything that is needed and where it is.
    fields:
      - { id: needs, type: list, items: { what: text, where: text } }
      - { id: isReady, type: boolean, description: true if all of it is available }
    # The variable on the left is set to the field on the right.
    sets: { isReady: isReady }
# The first transition whose condition is true is used, otherwise the default.
transitions:
  - to: work
    condition: isReady == true
  - to: prepare
    isDefault: true
`,
    'activities/02-work.yaml': `id: work
version: 0.1.0
name: Work
description: Do the task, and show that it is done.
steps:
  - id: do-it
    name: Do it
    description: Do the task, and nothing else.
    fields:
      - { id: changes, type: list, min_items: 1, description: What you changed }
  - id: show-it
    name: Show that it is done
    description: Do the check that you named in doneWhen.
    fields:
      - { id: ran, description: What you ran }
      - { id: seen, description: 'The result, word for word' }
transitions:
  - to: end
    isDefault: true
`,
  },
};

const draft = `id: draft
version: 0.1.0
name: Draft
description: Write the text, or correct it as the person asked.
steps:
  - id: write-draft
    name: Write the draft
    description: Write the whole text, and list its open points.
    # The skill contains the instructions, so that other steps can use them too.
    skill: plain-writing
    # What the output must have. An output without one of these fields is refused, with the name of the field.
    fields:
      - { id: text, min_length: 40, description: The whole text }
      - { id: openPoints, type: list, description: 'Each open point; empty if there are none' }
transitions:
  - to: decide
    isDefault: true
`;

const decide = `id: decide
version: 0.1.0
name: Ask for a decision
description: Show the text as it would be published, and ask the person to decide.
steps:
  - id: show-draft
    name: Show the draft
    description: Show the whole text and the open points.
  - id: ask
    name: Ask
    # Work stops here until the checkpoint is answered.
    checkpoint: publish-it
checkpoints:
  - id: publish-it
    name: Publish it?
    message: Publish this text?
    # Only a person can answer this checkpoint.
    approver: human
    options:
      - id: publish
        label: Publish it
        effect:
          setVariable: { decision: publish }
          transitionTo: publish
      - id: change
        label: Change it first
        effect:
          setVariable: { decision: change }
          transitionTo: draft
      - id: drop
        label: Drop it
        effect:
          setVariable: { decision: drop }
          transitionTo: end
transitions:
  - to: publish
    condition: decision == "publish"
  - to: draft
    isDefault: true
`;

const publish = `id: publish
version: 0.1.0
name: Publish
description: Publish exactly the approved text.
steps:
  - id: publish-text
    name: Publish the text
    description: Publish the text, and say where to read it.
transitions:
  - to: end
    isDefault: true
`;

const plainWriting = `id: plain-writing
version: 0.1.0
capability: Writes texts that readers understand at once.
operations:
  write-text:
    description: Write a text for people who know the subject and have little time.
    procedure:
      - Say the most important thing first.
      - Leave out everything that the reader already knows.
      - Read the text again as if you saw it for the first time.
rules:
  one-thought: Write one idea in each sentence.
`;

/** A checkpoint where a person decides whether to continue, go back or end. */
const activityReview: Template = {
  kind: 'activity',
  name: 'review',
  about: 'a checkpoint where a person decides, and a skill that a step uses',
  workflow: `description: Drafts a text, asks a person to approve it, and publishes the approved text.
initialActivity: draft
variables:
  - name: decision
    type: string
    description: pending, publish, change or drop. Set by the answer to the checkpoint.
    defaultValue: pending
`,
  parts: {
    'activities/01-draft.yaml': draft,
    'activities/02-decide.yaml': decide,
    'activities/03-publish.yaml': publish,
    'skills/01-plain-writing.yaml': plainWriting,
  },
};

/** Every template; the first of each kind is its default. */
export const templates: readonly Template[] = [
  stepSequence,
  stepBranches,
  stepLoop,
  activitySequence,
  activityReview,
];
