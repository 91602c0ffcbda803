import type { Template } from '../template.ts';

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
      message: It is not said what was left open ("Open:", or none).
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

/** A gate: a person decides whether it goes on, back, or ends. */
export const activityReview: Template = {
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
