/** The names of a new workflow, as YAML scalars. */
interface Names {
  readonly id: string;
  readonly title: string;
}

export interface Template {
  readonly kind: 'activity' | 'step';
  readonly name: string;
  /** A few words about what the template shows. */
  readonly about: string;
  /**
   * Returns the texts of the files by their path in the workflow folder. A step workflow is one file,
   * `workflow.yaml`. The caller adds `$schema` to each.
   */
  files(names: Names): Readonly<Record<string, string>>;
}

/** Steps in a sequence, each with an output that is checked. */
const stepSequence: Template = {
  kind: 'step',
  name: 'sequence',
  about: 'steps one after the other, each with a checked output',
  files: ({ id, title }) => ({
    'workflow.yaml': `id: ${id}
name: ${title}
# Agents choose a workflow by this: say what it is for, and when it is the right one.
description: Says what is wanted, does it, and shows that it is done.
version: 0.1.0
steps:
  - id: understand
    title: Understand the task
    # What the agent is told. Ask for one thing, and name the form of the answer.
    prompt: >-
      Read what was asked, and what it is about. Write in your own words what is wanted. End with a line
      "Done when:" that says how somebody else would see that it is done.
    # An output without this is refused, with the message.
    validationCriteria:
      - type: contains
        value: 'Done when:'
        message: The output does not say how to see that it is done ("Done when:").
  - id: do-it
    title: Do it
    prompt: >-
      Do what is wanted, and nothing else. List what you changed, a line each, under "Changed:".
    validationCriteria:
      - type: contains
        value: 'Changed:'
        message: The output does not say what was changed ("Changed:").
  - id: show-it
    title: Show that it is done
    prompt: >-
      Check it by what you wrote under "Done when:". Say what you ran and what came out under "Seen:".
    validationCriteria:
      - type: contains
        value: 'Seen:'
        message: The output does not say what was seen ("Seen:").
`,
  }),
};

/** Steps that depend on a variable, and one that needs a confirmation. */
const stepBranches: Template = {
  kind: 'step',
  name: 'branches',
  about: 'steps that depend on a variable, and one that a person confirms',
  files: ({ id, title }) => ({
    'workflow.yaml': `id: ${id}
name: ${title}
# Agents choose a workflow by this: say what it is for, and when it is the right one.
description: Sizes a change first, then makes it, with a plan where it is large.
version: 0.1.0
# Declared variables are checked wherever a text or a condition names one.
variables:
  - name: size
    type: string
    description: small or large. Set by size-it.
    # Only at this step: the size decides whether a person is asked.
    set_by: [size-it]
steps:
  - id: size-it
    title: Size the change
    prompt: >-
      Say how many places have to change, and what could break. Set 'size' in the context to small or large, and
      write it on a line "Size:".
    validationCriteria:
      - type: regex
        pattern: '^Size: *(small|large)'
        flags: im
        message: The size is missing ("Size:" with small or large).
  - id: plan
    title: Plan the change
    # The step is left out unless this holds.
    runCondition: size == "large"
    # A person looks at the plan before it goes on.
    requireConfirmation: true
    approver: human
    prompt: >-
      Write the order in which the places change, so that everything works after each of them. Show the plan, and
      wait until it is agreed to.
  - id: change
    title: Make the change
    prompt: >-
      Make the change, place by place. List what you changed, a line each, under "Changed:".
    validationCriteria:
      - type: contains
        value: 'Changed:'
        message: The output does not say what was changed ("Changed:").
`,
  }),
};

/** A step that makes a list, and a loop over its items. */
const stepLoop: Template = {
  kind: 'step',
  name: 'loop',
  about: 'a list that is made first, and steps for each of its items',
  files: ({ id, title }) => ({
    'workflow.yaml': `id: ${id}
name: ${title}
# Agents choose a workflow by this: say what it is for, and when it is the right one.
description: Finds every place of a kind, works on one after the other, and reports.
version: 0.1.0
variables:
  - name: places
    type: array
    description: The places to work on. Set by find-places.
steps:
  - id: find-places
    title: Find the places
    prompt: >-
      Find every place that is meant. Set 'places' in the context to the list of them, and write the list.
  - id: each-place
    type: loop
    title: Each place
    # A round for each item of the list; maxIterations bounds it whatever the list says.
    loop:
      type: forEach
      items: places
      itemVar: place
      maxIterations: 100
    body:
      - id: work-on-it
        title: Work on one place
        prompt: >-
          Work on {{place}} alone. Say what you did on a line "Done:", or why nothing was to be done on a line "Left:".
        validationCriteria:
          - type: regex
            pattern: '^(Done|Left):'
            flags: m
            message: The output does not say what became of this place ("Done:" or "Left:").
  - id: report
    title: Report
    prompt: >-
      Say how many places there were, how many were worked on, and which were left and why.
`,
  }),
};

/** Two activities, with a transition that depends on variables. */
const activitySequence: Template = {
  kind: 'activity',
  name: 'sequence',
  about: 'activities with steps, and ways between them that variables decide',
  files: ({ id, title }) => ({
    'workflow.yaml': `id: ${id}
version: 0.1.0
title: ${title}
# Agents choose a workflow by this: say what it is for, and when it is the right one.
description: Prepares a piece of work, does it, and goes back where something was missing.
initialActivity: prepare
variables:
  - name: isReady
    type: boolean
    description: Whether everything is there to begin. Set by prepare.
    defaultValue: false
`,
    'activities/01-prepare.yaml': `id: prepare
version: 0.1.0
name: Prepare
description: Find out what is wanted, and what is needed for it.
steps:
  - id: read-request
    name: Read the request
    description: Write in your own words what is wanted, and under "Done when:" how somebody would see that it is done.
    # An output without this is refused, with the message.
    validationCriteria:
      type: contains
      value: 'Done when:'
      message: The output does not say how to see that it is done ("Done when:").
  - id: gather
    name: Gather what is needed
    description: Name what is needed and where it is. Set isReady to whether all of it is there.
# The first way whose condition holds is taken, then the default.
transitions:
  - to: work
    condition: isReady == true
  - to: prepare
    isDefault: true
`,
    'activities/02-work.yaml': `id: work
version: 0.1.0
name: Work
description: Do what is wanted, and show that it is done.
steps:
  - id: do-it
    name: Do it
    description: Do what is wanted, and nothing else. List what you changed, a line each.
  - id: show-it
    name: Show that it is done
    description: Check it by what was written under "Done when:", and say what you saw.
transitions:
  - to: end
    isDefault: true
`,
  }),
};

const draft = `id: draft
version: 0.1.0
name: Draft
description: Write the text, or mend it by what the person said.
steps:
  - id: write-draft
    name: Write the draft
    description: Write the whole text, and what you left open under "Open:", or none.
    # How it is done is said once, in a skill.
    skill: plain-writing
    validationCriteria:
      type: contains
      value: 'Open:'
      message: The output does not say what was left open ("Open:", or none).
transitions:
  - to: gate
    isDefault: true
`;

const gate = `id: gate
version: 0.1.0
name: Have it decided
description: Show the text as it would be published, and ask.
steps:
  - id: show-draft
    name: Show the draft
    description: Show the whole text, and what is open.
  - id: ask
    name: Ask
    # Work stops here until the question is answered.
    checkpoint: publish-it
checkpoints:
  - id: publish-it
    name: Publish it?
    message: Shall this text be published?
    # No agent answers this one.
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
description: Publish exactly the text that was agreed to.
steps:
  - id: publish-text
    name: Publish the text
    description: Publish it, and say where it can be read.
transitions:
  - to: end
    isDefault: true
`;

const plainWriting = `id: plain-writing
version: 0.1.0
capability: Writes texts that are understood at the first reading.
operations:
  write-text:
    description: Write a text for people who know the subject and have little time.
    procedure:
      - Say the most important thing first.
      - Leave out what the reader knows already.
      - Read it once more as somebody who has not seen it.
rules:
  one-thought: A sentence says one thing.
`;

/** A checkpoint where a person decides whether to continue, go back or end. */
const activityReview: Template = {
  kind: 'activity',
  name: 'review',
  about: 'a checkpoint at which a person decides, and a skill that a step uses',
  files: ({ id, title }) => ({
    'workflow.yaml': `id: ${id}
version: 0.1.0
title: ${title}
# Agents choose a workflow by this: say what it is for, and when it is the right one.
description: Drafts a text, has a person decide about it, and publishes what was agreed to.
initialActivity: draft
variables:
  - name: decision
    type: string
    description: pending, publish, change or drop. Set by the answer at the gate.
    defaultValue: pending
`,
    'activities/01-draft.yaml': draft,
    'activities/02-gate.yaml': gate,
    'activities/03-publish.yaml': publish,
    'skills/01-plain-writing.yaml': plainWriting,
  }),
};

/** Every template; the first of each kind is its default. */
export const templates: readonly Template[] = [
  stepSequence,
  stepBranches,
  stepLoop,
  activitySequence,
  activityReview,
];
