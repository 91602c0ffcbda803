import { keyFileStamp } from './key-file.ts';
import type { KeyRingOptions } from './key-ring-options.ts';
import { keysVariable } from './key-ring-options.ts';

/** Whether there are keys that `loadKeyRing` would take; asking makes none. Throws what the system does. */
export function hasTokenKeys({ environment = {}, stateDirectory }: KeyRingOptions): boolean {
  return environment[keysVariable] !== undefined || keyFileStamp(stateDirectory) !== undefined;
}
