import type { WorkflowWalks } from './walk.ts';

const small = { size: 'small', securityConcern: false };
const large = { size: 'large', securityConcern: false };

function attempt(index: number, actionRisk: string, recovered: boolean, dataDamaged = false) {
  return [
    [`stop-the-harm@${index}::choose-action`, { actionRisk }],
    `stop-the-harm@${index}::act`,
    [`stop-the-harm@${index}::watch`, { recovered, dataDamaged }],
  ] as const;
}

/** Walks of incident-response. */
export const incidentResponse: WorkflowWalks = {
  id: 'incident-response',
  walks: [
    {
      name: 'a small incident that ends with the first action',
      steps: [['declare', small], ...attempt(0, 'low', true), 'close'],
    },
    {
      name: 'an attack that damaged data',
      steps: [
        ['declare', { ...large, securityConcern: true }],
        'involve-security',
        'call-people',
        'look-for-change',
        ...attempt(0, 'low', false),
        ...attempt(1, 'high', true, true),
        'repair-data',
        'learn',
        'close',
      ],
    },
    {
      name: 'harm that nobody could stop',
      steps: [
        ['declare', large],
        'call-people',
        'look-for-change',
        ...[0, 1, 2, 3, 4, 5, 6, 7].flatMap((index) => attempt(index, 'low', false)),
        'hand-over-harm',
        'learn',
        'close',
      ],
    },
  ],
};
