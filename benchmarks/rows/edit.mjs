import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileOf, idOf, textOf } from '../definitions/definitions.mjs';
import { interleave } from '../figures/interleave.mjs';
import { cpuMs, residentBytes, whyNoProc } from '../figures/process-figures.mjs';
import { compare, informative } from '../figures/result.mjs';
import { withFolders } from '../servers/two-sizes.mjs';

export const name = 'edit';
export const skipped = whyNoProc;

/** Edits in one round of the CPU row. With this many, the resolution of one clock tick does not matter. */
const editsPerRound = 20;

/** Measures how soon the server serves an edited file, and the processor time, with few and with many definitions. */
export async function run(bench) {
  return withFolders(bench, name, async ({ few, many, small, large }) => {
    const edits = { few: editor(few, small), many: editor(many, large) };
    const shown = await interleave(
      { few: () => edits.few.show(), many: () => edits.many.show() },
      { rounds: 15, warmUp: 2 },
    );
    const costs = await interleave(
      { few: () => edits.few.cost(), many: () => edits.many.cost() },
      { rounds: 3, warmUp: 0 },
    );
    const idle = await interleave({ many: () => idleCpu(many.pid) }, { rounds: 3, warmUp: 0 });
    return [
      compare('time, 10,000 workflows; baseline: 10', pair(shown, { unit: 'ms', atMost: 2 })),
      compare('processor time, 10,000 workflows; baseline: 10', pair(costs, { unit: 'ms', atMost: 2 })),
      informative('processor time of an idle second, 10,000 workflows', {
        unit: 'ms',
        ours: idle.many,
      }),
      informative('memory, 10,000 workflows', { unit: 'MB', ours: [residentBytes(many.pid) / 1_000_000] }),
    ];
  });
}

function pair({ few, many }, more) {
  return { ours: many, baseline: few, ...more };
}

function editor(server, folder) {
  let patch = 0;

  async function edit() {
    const version = `1.0.${(patch += 1)}`;
    const number = patch % 10;
    const next = join(folder, '.next');
    await writeFile(next, textOf(number, version));
    await rename(next, fileOf(folder, number));
    return { id: idOf(number), version };
  }

  async function waitFor({ id, version }) {
    for (;;) {
      const { result } = await server.tool('workflow_get', { id, mode: 'metadata' });
      if (result.structuredContent.version === version) return;
      await setTimeout(5);
    }
  }

  return {
    async show() {
      const edited = await edit();
      const from = performance.now();
      await waitFor(edited);
      return performance.now() - from;
    },
    async cost() {
      const before = cpuMs(server.pid);
      for (let turn = 0; turn < editsPerRound; turn += 1) {
        const edited = await edit();
        await setTimeout(300);
        await waitFor(edited);
      }
      return (cpuMs(server.pid) - before) / editsPerRound;
    },
  };
}

async function idleCpu(pid) {
  const seconds = 4;
  const before = cpuMs(pid);
  await setTimeout(seconds * 1000);
  return (cpuMs(pid) - before) / seconds;
}
