import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { HostOptions } from '@workflowlookup/host';

/** A folder with definitions and with a path for a state directory. */
export interface StateFolder {
  readonly root: string;
  readonly definitions: string;
  readonly state: string;
  /** Options of a host that only uses this folder. */
  readonly host: HostOptions;
  /** The same options as flags of the app. */
  readonly flags: readonly string[];
  dispose(): Promise<void>;
}

/** Creates a folder and writes the files as JSON to its definitions. */
export async function stateFolder(files: Readonly<Record<string, object>>): Promise<StateFolder> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'workflowlookup-')));
  const definitions = join(root, 'definitions');
  const state = join(root, 'state');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(definitions, path)), { recursive: true });
    await writeFile(join(definitions, path), JSON.stringify(content));
  }
  return {
    root,
    definitions,
    state,
    host: {
      includeBundled: false,
      includeUser: false,
      includeProject: false,
      directories: [definitions],
      homeDirectory: root,
      workingDirectory: root,
      stateDirectory: state,
      minResponseMs: 0,
    },
    flags: [
      '--no-bundled',
      '--no-user',
      '--no-project',
      '--workflows',
      definitions,
      '--state',
      state,
      '--min-response-seconds',
      '0',
    ],
    dispose: () => rm(root, { recursive: true, force: true }),
  };
}
