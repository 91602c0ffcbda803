import { fileURLToPath } from 'node:url';
import { readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import { bundledDirectory } from '@workflowlookup/host';
import { createFilesStore } from '@workflowlookup/storage/files';
import { build } from 'esbuild';

const sources = {
  walks: new URL('../workflows/test/activity-walks/index.ts', import.meta.url),
  output: new URL('../workflows/test/output.ts', import.meta.url),
};

/**
 * The ways through the bundled activity workflows that their tests take: what is answered and set at each activity, and
 * an output for every step that its criteria accept.
 *
 * @returns {Promise<readonly Walk[]>}
 *
 * @typedef {object} Walk
 * @property {string} id of the workflow
 * @property {string} name
 * @property {readonly { answers?: Record<string, string>, sets?: Record<string, unknown> }[]} visits one for each activity
 * @property {(stepId: string) => string} outputOf
 */
export async function bundledWalks() {
  const [{ allActivityWalks }, { renderings }] = await Promise.all(
    [sources.walks, sources.output].map(importSource),
  );
  return allActivityWalks.flatMap(({ id, walks, outputs }) =>
    walks.map(({ name, path }) => ({
      id,
      name,
      visits: path.map((entry) => (typeof entry === 'string' ? {} : entry[1])),
      outputOf: (stepId) => renderings(outputs[stepId] ?? 'Done as described.')[0],
    })),
  );
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

/** The bundled activity workflows as they are read, by id, `meta` among them. */
export async function bundledDefinitions() {
  const store = createFilesStore({
    directory: bundledDirectory(),
    read: readDefinition,
    readFolder: readWorkflowFolder,
  });
  try {
    const ids = [...new Set((await bundledWalks()).map(({ id }) => id))];
    return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await store.get(id)])));
  } finally {
    await store.close();
  }
}
