import { basename, dirname } from 'node:path';
import type { InspectedPlace } from '@workflowlookup/host';
import { scopeOf } from '../lint/lint-scope.ts';
import { findPlace, isActivityFolder } from '../place.ts';
import { isTestsFile } from './tests-beside.ts';

/** What a path on the command line asks to be tested. */
export interface TestScope {
  readonly place: InspectedPlace;
  /** Absolute path of the only file of tests that is run. */
  readonly testsFile?: string;
  /** Whether it is all of a directory: then tests that belong to nothing in it are told of. */
  readonly isWhole: boolean;
}

/**
 * What a path means: a folder of definitions as deep as it goes, one definition, the folder of an activity workflow or a
 * file in it, each with the tests beside it; or a file of tests, with what it tests.
 *
 * @throws WorkflowError INVALID_PARAMS for a path that is none of these
 */
export async function testScopeOf(named: string, sources: readonly string[]): Promise<TestScope> {
  const { path, isDirectory } = await findPlace(named);
  if (!isDirectory && isTestsFile(path)) return { place: await beside(path), testsFile: path, isWhole: true };
  const { place } = await scopeOf(named, sources);
  return { place, isWhole: place.only === undefined };
}

async function beside(file: string): Promise<InspectedPlace> {
  const folder = dirname(file);
  return (await isActivityFolder(folder))
    ? { directory: dirname(folder), only: [basename(folder)] }
    : { directory: folder, depth: 1 };
}
