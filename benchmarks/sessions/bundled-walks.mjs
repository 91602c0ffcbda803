import { fileURLToPath } from 'node:url';
import { readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import { bundledDirectory } from '@workflowlookup/host';
import { createFilesStore } from '@workflowlookup/storage/files';
import { build } from 'esbuild';

const sources = {
  walks: new URL('../../workflows/test/activity-workflows/walks/index.ts', import.meta.url),
  samples: new URL('../../workflows/test/support/field-samples.ts', import.meta.url),
};

/**
 * Returns the walks through the bundled activity workflows that their tests describe: the answers and variables for
 * each activity, and an output for every step. Steps that require evidence are skipped, because benchmarks collect
 * none.
 *
 * @returns {Promise<readonly Walk[]>}
 *
 * @typedef {object} Walk
 * @property {string} id of the workflow
 * @property {string} name
 * @property {readonly Visit[]} visits one for each activity
 * @property {(stepId: string, visit: Visit) => string | undefined} outputOf `undefined` for a step that is not done
 *
 * @typedef {object} Visit
 * @property {Record<string, string>} [answers]
 * @property {Record<string, unknown>} [learned] every variable that the visit sets
 * @property {Record<string, unknown>} [sets] the variables that no field sets
 */
export async function bundledWalks() {
  const [{ allActivityWalks }, { sampleOf, stepsWithFields, withoutFields }] = await Promise.all(
    [sources.walks, sources.samples].map(importSource),
  );
  const definitions = await readDefinitions(allActivityWalks.map(({ id }) => id));
  return allActivityWalks.flatMap(({ id, walks }) => {
    const workflow = definitions[id];
    const asked = stepsWithFields(workflow);
    const proving = new Set(
      workflow.activities
        .flatMap(({ definition: { steps = [] } }) => steps)
        .flatMap((step) => (step.evidence === undefined ? [] : [step.id])),
    );
    const visitOf = ({ answers, sets: learned = {} }) => ({
      answers,
      learned,
      sets: withoutFields(learned, asked.values()),
    });
    return walks.map(({ name, path }) => ({
      id,
      name,
      visits: path.map((entry) => visitOf(typeof entry === 'string' ? {} : entry[1])),
      outputOf(stepId, { learned }) {
        const step = stepId.split('::').at(-1);
        if (proving.has(step)) return undefined;
        const fields = asked.get(step);
        return fields === undefined ? 'Done as described.' : JSON.stringify(sampleOf(fields, learned));
      },
    }));
  });
}

/** Returns an output with a text added, as a property if the output is a JSON object. */
export function lengthened(output, text) {
  if (output === undefined) return undefined;
  return output.startsWith('{')
    ? JSON.stringify({ ...JSON.parse(output), 'x-more': text })
    : `${output}\n${text}`;
}

async function importSource(url) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(url)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/** Returns the definitions of the bundled activity workflows by id, including `meta`. */
export async function bundledDefinitions() {
  const { allActivityWalks } = await importSource(sources.walks);
  return readDefinitions(allActivityWalks.map(({ id }) => id));
}

async function readDefinitions(ids) {
  const store = createFilesStore({
    directory: bundledDirectory(),
    read: readDefinition,
    readFolder: readWorkflowFolder,
  });
  try {
    return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await store.get(id)])));
  } finally {
    await store.close();
  }
}
