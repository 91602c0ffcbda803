import type { Template } from '../template.ts';

/** Steps one after the other, each with an output that is checked. */
export const stepSequence: Template = {
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
        message: It is not said how to see that it is done ("Done when:").
  - id: do-it
    title: Do it
    prompt: >-
      Do what is wanted, and nothing else. List what you changed, a line each, under "Changed:".
    validationCriteria:
      - type: contains
        value: 'Changed:'
        message: It is not said what was changed ("Changed:").
  - id: show-it
    title: Show that it is done
    prompt: >-
      Check it by what you wrote under "Done when:". Say what you ran and what came out under "Seen:".
    validationCriteria:
      - type: contains
        value: 'Seen:'
        message: It is not said what was seen ("Seen:").
`,
  }),
};
