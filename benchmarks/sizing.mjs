// `node benchmarks/sizing.mjs [part…] [--sessions N]` measures the disk space, memory and database connections that a
// deployment needs, and prints tables.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { whyNoProc } from './figures/process-figures.mjs';
import { advances } from './sizing/advances.mjs';
import { parts } from './sizing/parts.mjs';
import { replica } from './sizing/replica.mjs';
import { stored } from './sizing/stored.mjs';
import { layOut } from './figures/table.mjs';

const all = { stored, replica, advances, parts };

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { sessions: { type: 'string', default: '10000' } },
});
const sessions = Number(values.sessions);
if (!Number.isInteger(sessions / 10) || sessions < 10) refuse('--sessions must be a multiple of 10.');
const unknown = wanted.filter((name) => !Object.hasOwn(all, name));
if (unknown.length > 0)
  refuse(`There is no part '${unknown.join(', ')}'. The parts are: ${Object.keys(all).join(', ')}`);
const reason = whyNoProc();
if (reason !== undefined) refuse(`This program ${reason}.`);
const httpFile = fileURLToPath(new URL('../apps/http/dist/main.js', import.meta.url));
if (!existsSync(httpFile))
  refuse(`${httpFile} does not exist. Build first, or use node scripts/run.mjs sizing, which builds.`);

const scratch = await mkdtemp(join(tmpdir(), 'workflowlookup-sizing-'));
try {
  const machine = `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  console.log(`${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${machine}`);
  for (const name of wanted.length > 0 ? wanted : Object.keys(all)) {
    console.error(`${name} …`);
    const { title, lines, notes } = await all[name]({ httpFile, scratch, sessions });
    console.log(['', `${title}:`, '', layOut(lines), '', ...notes].join('\n'));
  }
} finally {
  await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
}

function refuse(why) {
  console.error(why);
  process.exit(2);
}
