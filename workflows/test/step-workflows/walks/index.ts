import type { WorkflowWalks } from './walk.ts';
import { bugInvestigation } from './bug-investigation.ts';
import { changeReview } from './change-review.ts';
import { featureImplementation } from './feature-implementation.ts';
import { incidentResponse } from './incident-response.ts';
import { migrationAtScale } from './migration-at-scale.ts';
import { release } from './release.ts';
import { technicalDocument } from './technical-document.ts';
import { workflowAuthoring } from './workflow-authoring.ts';

/** The walks of every bundled workflow. */
export const allWalks: readonly WorkflowWalks[] = [
  bugInvestigation,
  changeReview,
  featureImplementation,
  incidentResponse,
  migrationAtScale,
  release,
  technicalDocument,
  workflowAuthoring,
];
