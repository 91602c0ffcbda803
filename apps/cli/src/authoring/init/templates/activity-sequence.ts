import type { Template } from '../template.ts';

/** Two activities, and a way that the variables decide. */
export const activitySequence: Template = {
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
      message: It is not said how to see that it is done ("Done when:").
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
