export type {
  Me,
  NewSession,
  OAuthJourney,
  OAuthReturn,
  Permissions,
  SignInRequest,
  SignedIn,
  SignedOut,
  WayToSignIn,
} from './contract/account.ts';
export type { ApiError, InvalidText, TextConflict } from './contract/api-error.ts';
export type { ChangeEvents, RunsChanged, StreamEnd, WorkflowsChanged } from './contract/changes.ts';
export type {
  Catalogue,
  CatalogueEntry,
  CatalogueProblem,
  CatalogueSource,
  Check,
  CheckRequest,
  DefinitionFile,
  DefinitionText,
  SaveRequest,
  Saved,
  WorkflowDetail,
} from './contract/workflows.ts';
export type {
  CheckpointChanges,
  DefinitionReview,
  ReviewPlace,
  TrustGiven,
  TrustRequest,
  UntrustedEntry,
  UntrustedList,
} from './contract/trust.ts';
export type { Evidence, GateAnswer, GateAnswered, GatesPage, WaitingGate } from './contract/gates.ts';
export type {
  NodeState,
  PaintedEdge,
  PaintedNode,
  PaintedPicture,
  Picture,
  PictureEdge,
  PictureNode,
} from '@workflowlookup/core';
export type { ConsoleHealth, Latency, Refused } from './contract/health.ts';
export type { Considered, JudgeRequest, Judged, Turn, Walk, WalkRequest } from './contract/playground.ts';
export type { ConsoleRoutes, Route } from './contract/routes.ts';
export type { EventsPage, OutputVerdict, Run, RunOutput } from './contract/run.ts';
export type { RunRow, RunsPage, RunsQuery } from './contract/runs.ts';
