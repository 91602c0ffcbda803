import { randomBytes } from 'node:crypto';
import type { KeyRing } from '@workflowlookup/core';
import { createKeyFile, keyFileName, readKeyFile } from './key-file.ts';
import type { KeyRingOptions } from './key-ring-options.ts';
import { parseKeys } from './parse-keys.ts';

const keyBytes = 32;

/** A new key as a line of the key file. */
export function newKeyLine({ random = randomBytes }: KeyRingOptions): string {
  return `${Buffer.from(random(keyBytes)).toString('hex')}\n`;
}

/** What the key file holds, made with one key where there is none: a key a line, newest first. */
export function readOrCreateKeys(options: KeyRingOptions): string {
  const { stateDirectory } = options;
  const found = readKeyFile(stateDirectory);
  if (found !== undefined) return found;
  createKeyFile(stateDirectory, newKeyLine(options));
  return readKeyFile(stateDirectory) ?? readOrCreateKeys(options);
}

/** The ring a key file's content spells. @throws STORAGE */
export function parseKeyFile(content: string): KeyRing {
  return parseKeys(content.trimEnd().split('\n'), (index) => `Line ${index + 1} of '${keyFileName}'`);
}
