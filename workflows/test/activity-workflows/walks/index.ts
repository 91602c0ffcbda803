import type { ActivityWalks } from './walk.ts';
import { dependencyUpgrade } from './dependency-upgrade.ts';
import { issueToMerge } from './issue-to-merge.ts';
import { meta } from './meta.ts';
import { securityAudit } from './security-audit.ts';

/** The walks of every bundled activity workflow. */
export const allActivityWalks: readonly ActivityWalks[] = [
  dependencyUpgrade,
  issueToMerge,
  meta,
  securityAudit,
];
