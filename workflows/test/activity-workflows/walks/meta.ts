import type { ActivityWalks } from './walk.ts';

const candidates = [{ id: 'issue-to-merge', why: 'the goal ends with a merge' }];
const wanted = { goal: 'Orders can be exported', candidates };
const proposed = { proposal: 'issue-to-merge' };

/** Walks of meta. */
export const meta: ActivityWalks = {
  id: 'meta',
  walks: [
    {
      name: 'a new session on the second proposal',
      path: [
        ['welcome', { sets: wanted }],
        ['compare', { sets: proposed }],
        ['choose', { answers: { 'pick-workflow': 'other' } }],
        ['welcome', { sets: wanted }],
        ['compare', { sets: proposed }],
        ['choose', { answers: { 'pick-workflow': 'start' } }],
        'hand-over',
      ],
    },
    {
      name: 'on with an open session',
      path: [
        ['welcome', { sets: { ...wanted, openSession: 'a1b2c3d4' } }],
        ['compare', { sets: proposed }],
        ['choose', { answers: { 'pick-workflow': 'start' } }],
        'hand-over',
      ],
    },
    {
      name: 'no workflow',
      path: [
        ['welcome', { sets: { goal: 'What time is it?', candidates: [] } }],
        ['compare', { sets: { proposal: 'none' } }],
        ['choose', { answers: { 'pick-workflow': 'none' } }],
      ],
    },
  ],
};
