import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The clients and their versions. They are large, so they are not in the lock file, and are installed in a separate
 * folder.
 */
const versions = {
  '@anthropic-ai/claude-code': '2.1.332',
  '@openai/codex': '0.171.0',
  '@google/gemini-cli': '0.61.0',
  'opencode-ai': '1.18.33',
};

const folder = fileURLToPath(new URL('../../../../node_modules/.cache/clients', import.meta.url));

/** Installs these versions of the clients from the registry, if necessary. Returns the folder of their packages. */
export function installClients(): string {
  const done = join(folder, 'installed.json');
  const wanted = JSON.stringify(versions);
  if (!existsSync(done) || readFileSync(done, 'utf8') !== wanted) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
    const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
    execFileSync(
      'npm',
      ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', ...packages],
      {
        cwd: folder,
        stdio: 'inherit',
      },
    );
    writeFileSync(done, wanted);
  }
  return join(folder, 'node_modules');
}
