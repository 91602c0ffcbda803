import type { Template } from '../template.ts';

/** A list that is made first, and steps for each of its items. */
export const stepLoop: Template = {
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
            message: It is not said what became of this place ("Done:" or "Left:").
  - id: report
    title: Report
    prompt: >-
      Say how many places there were, how many were worked on, and which were left and why.
`,
  }),
};
