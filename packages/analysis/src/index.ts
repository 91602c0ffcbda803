export { explore } from './exploration/explore.ts';
export type { ExploreOptions } from './exploration/explore.ts';
export type {
  BranchOutcome,
  Coverage,
  Exploration,
  ExplorationCode,
  ExplorationFinding,
} from './exploration/explore.ts';
export { createRehearsals } from './rehearsal/rehearse.ts';
export type { Rehearsals } from './rehearsal/rehearse.ts';
export type { RefusedOutput, Rehearsal, TestResult } from './rehearsal/rehearse.ts';

export { walkThrough } from './dry-run.ts';
export type { Considered, Turn, Walk, WalkOptions } from './dry-run.ts';
