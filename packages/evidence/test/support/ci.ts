import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineWorkflow } from '@workflowlookup/core';
import type { Envelope } from '../../src/index.ts';
import { attestCheck } from '../../src/index.ts';

/** A workflow whose first step needs evidence from a person and from CI. */
export const build = defineWorkflow({
  id: 'build-it',
  name: 'Build it',
  description: 'Builds something and proves that it works.',
  version: '1.0.0',
  enforcement: 'strict',
  steps: [
    {
      id: 'build',
      title: 'Build',
      prompt: 'Build it.',
      evidence: [
        { id: 'seen', check: 'test', level: 'observed' },
        { id: 'vouched', check: 'test', level: 'ci' },
      ],
    },
    { id: 'report', title: 'Report', prompt: 'Report it.' },
  ],
});

/** A CI system with a key of its own. */
export interface Ci {
  /** The files with its keys, in PEM as `openssl` writes them. */
  readonly secretFile: string;
  readonly publicFile: string;
  /** Runs a check at the commit that is checked out in a folder, and signs a statement. */
  attest(folder: string, request?: { readonly check?: string; readonly session?: string }): Promise<Envelope>;
}

export function makeCi(): Ci {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const folder = mkdtempSync(join(tmpdir(), 'ci-'));
  const [secretFile, publicFile] = [join(folder, 'ci.key'), join(folder, 'ci.pub')];
  writeFileSync(secretFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }));
  return {
    secretFile,
    publicFile,
    async attest(where, { check = 'test', ...more } = {}) {
      const attested = await attestCheck({
        folder: where,
        stateFolder: join(folder, 'state'),
        environment: process.env,
        check,
        key: privateKey,
        ...more,
      });
      return attested.envelope;
    },
  };
}
