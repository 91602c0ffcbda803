import type { Template } from '../template.ts';

/** Steps that depend on a variable, and one that somebody confirms. */
export const stepBranches: Template = {
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
        message: It is not said what was changed ("Changed:").
`,
  }),
};
