import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { authoredTexts } from '../figures/authored-texts.mjs';
import { compare, exactly } from '../figures/result.mjs';
import { startBundled, startOurs, withServers } from '../servers/servers.mjs';
import { countTokens } from '../figures/tokens.mjs';
import { walk } from '../clients/walk.mjs';

export const name = 'step-tokens';

const bound = 100;

/** Measures how much the server adds to a step: the guidance that it composes, without the author's texts. */
export async function run(bench) {
  const bundled = await walkBundled(bench);
  const everything = await walkEverything(bench);
  return [
    row('worst step of the bundled step workflows', bundled, `the worst of ${bundled.length} steps`),
    row('step that uses every field', everything, 'headings, banner and notes of one step'),
    sessionRow(bundled),
    wholeRow(bundled),
  ];
}

function row(what, visits, of) {
  const worst = visits.reduce((most, visit) => (visit.added > most.added ? visit : most));
  return exactly(what, {
    unit: 'tokens',
    value: worst.added,
    bound: `≤ ${bound}`,
    holds: worst.added <= bound,
    note: `${of}: ${worst.workflowId}, ${worst.stepId}`,
  });
}

/** Estimates twenty steps of a session as twenty times the mean step. */
function sessionRow(visits) {
  const mean = visits.reduce((sum, { added }) => sum + added, 0) / visits.length;
  const value = Math.round(mean * 20);
  return exactly('20 steps, bundled step workflows', {
    unit: 'tokens',
    value,
    bound: '≤ 3,000',
    holds: value <= 3000,
    note: 'the mean over all steps, times 20',
  });
}

/** Measures everything that a model reads. A reply has the texts of a step twice: in the step and in the guidance. */
function wholeRow(visits) {
  return compare('whole reply, bundled step workflows', {
    unit: 'tokens',
    ours: visits.map(({ whole }) => whole),
    baseline: visits.map(({ authored }) => authored),
    note: "the baseline is the author's own texts, which are in the step and in the guidance",
  });
}

async function walkBundled(bench) {
  return withServers({ ours: startBundled(bench) }, async ({ ours }) => {
    await ours.open();
    const { result } = await ours.tool('workflow_list', {});
    const visits = [];
    for (const { id } of result.structuredContent.workflows) visits.push(...(await measureWalk(ours, id)));
    return visits;
  });
}

async function walkEverything(bench) {
  const folder = join(bench.scratch, name);
  await mkdir(folder);
  await writeFile(join(folder, 'everything.json'), JSON.stringify(everyField));
  return withServers({ ours: startOurs(bench, folder) }, async ({ ours }) => {
    await ours.open();
    return measureWalk(ours, 'everything');
  });
}

async function measureWalk(server, workflowId) {
  const full = await server.tool('workflow_get', { id: workflowId, mode: 'full' });
  const definition = full.result.structuredContent;
  const visits = [];
  // Activity workflows are left out: their prompts consist of many small texts, so the author's share can't be removed.
  if (definition.steps === undefined) return visits;
  for (const { reply, text, isFirst } of await walk(server, definition)) {
    const authored = authoredTexts(definition, reply, isFirst);
    const left = authored.reduce((rest, part) => rest.replace(part, () => ''), reply.guidance.prompt);
    visits.push({
      workflowId,
      stepId: reply.step.id,
      added: await countTokens(left),
      whole: await countTokens(text),
      authored: await countTokens(authored.join('\n')),
    });
  }
  return visits;
}

const lines = (word, count) =>
  Array.from({ length: count }, (_, at) => `${word} number ${at + 1} holds here.`);

/** A workflow with one step in one loop that uses every field of workflows and steps. */
const everyField = {
  id: 'everything',
  name: 'Everything',
  description: 'Uses every field there is.',
  version: '1.0.0',
  preconditions: lines('Precondition', 3),
  clarificationPrompts: lines('Question', 3),
  metaGuidance: lines('Rule', 3),
  steps: [
    {
      id: 'round',
      title: 'Rounds',
      type: 'loop',
      loop: { type: 'for', count: 2, maxIterations: 2 },
      body: [
        {
          id: 'all',
          title: 'All of it',
          prompt: 'Do what is to be done.',
          agentRole: 'You are somebody who does everything.',
          guidance: lines('Tip', 3),
          askForFiles: true,
          requireConfirmation: true,
          approver: 'human',
          modelHint: 'any',
          validationCriteria: { type: 'contains', value: 'done', message: 'It is not done.' },
        },
      ],
    },
  ],
};
