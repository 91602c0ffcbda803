import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Id of the workflow of {@link writeRing}. */
export const ringId = 'ring';

/**
 * Writes an activity workflow whose activities lead to one another for ever, three steps in each, into a new folder of
 * definitions; resolves to the folder.
 */
export async function writeRing(folder) {
  await mkdir(join(folder, ringId), { recursive: true });
  await writeFile(join(folder, ringId, 'workflow.json'), JSON.stringify(ring));
  return folder;
}

/** What is handed in on leaving an activity of the ring: three outputs, so that its event is 1 kB. */
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
