import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The id of the workflow that {@link writeRing} writes. */
export const ringId = 'ring';

/**
 * Writes an activity workflow to a new folder of definitions and returns the folder. Its activities have three steps
 * each, and their transitions form a ring, so a session never ends.
 */
export async function writeRing(folder) {
  await mkdir(join(folder, ringId), { recursive: true });
  await writeFile(join(folder, ringId, 'workflow.json'), JSON.stringify(ring));
  return folder;
}

/** The manifest for leaving an activity of the ring. Its three outputs make an event of 1 kB. */
export const ringManifest = ['read', 'change', 'check'].map((id) => ({
  step_id: id,
  output: `${id}: ${'what was found, where it is, and how it was shown. '.repeat(5)}passed`,
}));

const ring = {
  id: ringId,
  version: '1.0.0',
  title: 'Ring',
  description: 'Two activities that lead to one another.',
  enforcement: 'strict',
  initialActivity: 'there',
  variables: [{ name: 'left', type: 'number', defaultValue: 3 }],
  activities: [activity('there', 'back'), activity('back', 'there')],
};

function activity(id, to) {
  return {
    id,
    version: '1.0.0',
    name: `Go ${id}`,
    steps: ['read', 'change', 'check'].map((step) => ({
      id: step,
      name: `The step ${step}`,
      description: 'What is to be done here.',
      ...(step === 'check' && {
        validationCriteria: {
          type: 'contains',
          value: 'passed',
          message: 'The output does not say how it ended.',
        },
      }),
    })),
    transitions: [
      { to: 'end', condition: 'left == 0' },
      { to, isDefault: true },
    ],
  };
}
