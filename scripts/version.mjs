// `node scripts/run.mjs version` applies the changesets to versions and changelogs, and updates the version in
// server.json for the MCP registry.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest, root } from './support/workspace.mjs';

execFileSync('changeset', ['version'], { cwd: root, shell: process.platform === 'win32', stdio: 'inherit' });

const file = join(root, 'server.json');
const { version } = readManifest('apps/stdio');
const entry = JSON.parse(readFileSync(file, 'utf8'));
const packages = entry.packages.map((one) => ({ ...one, version }));
writeFileSync(file, `${JSON.stringify({ ...entry, version, packages }, null, 2)}\n`);
