import type {
  ChecksReview,
  ChecksTrustChanged,
  DistrustChecksRequest,
  ProjectChecksList,
  TrustChecksRequest,
} from './contract/checks.ts';
import type {
  ConsoleHealth,
  Me,
  NewSession,
  OAuthReturn,
  OAuthStart,
  SignInRequest,
} from './contract/server.ts';
import type {
  AnsweredReply,
  CheckpointAnswer,
  CheckpointAnswered,
  CheckpointsReply,
  EventsPage,
  InsightsReply,
  ParkingChanged,
  ParkRequest,
  SessionDetail,
  SessionsReply,
  WaitingCheckpoint,
} from './contract/sessions.ts';
import type {
  Catalogue,
  Check,
  CheckRequest,
  DefinitionReview,
  DefinitionText,
  DryRun,
  DryRunRequest,
  Duplicated,
  DuplicateRequest,
  Judged,
  JudgeRequest,
  PastOutputs,
  PositionRequest,
  Saved,
  SaveRequest,
  TextPosition,
  TextVersions,
  Trial,
  TrialRequest,
  TrustGiven,
  TrustRequest,
  UntrustedList,
  VersionText,
  WorkflowDetail,
} from './contract/workflows.ts';

export type * from './contract/checks.ts';
export type * from './contract/server.ts';
export type * from './contract/workflows.ts';
export type * from './contract/sessions.ts';
export type {
  NodeState,
  SessionDiagramEdge,
  SessionDiagramNode,
  SessionDiagram,
  Diagram,
  DiagramEdge,
  DiagramNode,
} from '@workflowlookup/diagrams';

/** The request and response body of a route. */
export interface Route<Body, Answer> {
  readonly body: Body;
  readonly answer: Answer;
}

/**
 * The routes that answer with JSON, below `/console/api`. `GET /sessions/:sid/export`, `GET /insights/csv` and `GET /changes` answer in other
 * formats. All routes except those for signing in require the token in `Authorization: Bearer …`.
 */
export interface ConsoleRoutes {
  readonly 'GET /me': Route<undefined, Me>;
  readonly 'POST /sign-in': Route<SignInRequest, NewSession>;
  readonly 'POST /oauth/begin': Route<undefined, OAuthStart>;
  readonly 'POST /oauth/finish': Route<OAuthReturn, NewSession>;
  readonly 'POST /sign-out': Route<undefined, undefined>;
  readonly 'GET /sessions': Route<undefined, SessionsReply>;
  readonly 'GET /insights': Route<undefined, InsightsReply>;
  readonly 'GET /sessions/:sid': Route<undefined, SessionDetail>;
  readonly 'GET /sessions/:sid/events': Route<undefined, EventsPage>;
  readonly 'POST /sessions/:sid/answer': Route<CheckpointAnswer, CheckpointAnswered>;
  readonly 'POST /sessions/:sid/park': Route<ParkRequest, ParkingChanged>;
  readonly 'POST /sessions/:sid/unpark': Route<undefined, ParkingChanged>;
  readonly 'GET /checkpoints': Route<undefined, CheckpointsReply>;
  readonly 'GET /checkpoints/answered': Route<undefined, AnsweredReply>;
  readonly 'GET /checkpoints/:sid': Route<undefined, WaitingCheckpoint>;
  readonly 'GET /workflows': Route<undefined, Catalogue>;
  readonly 'GET /workflows/:id': Route<undefined, WorkflowDetail>;
  readonly 'GET /text': Route<undefined, DefinitionText>;
  readonly 'PUT /text': Route<SaveRequest, Saved>;
  readonly 'GET /versions': Route<undefined, TextVersions>;
  readonly 'GET /versions/:digest': Route<undefined, VersionText>;
  readonly 'GET /untrusted': Route<undefined, UntrustedList>;
  readonly 'GET /untrusted/review': Route<undefined, DefinitionReview>;
  readonly 'POST /trust': Route<TrustRequest, TrustGiven>;
  readonly 'GET /checks': Route<undefined, ProjectChecksList>;
  readonly 'GET /checks/review': Route<undefined, ChecksReview>;
  readonly 'POST /checks/trust': Route<TrustChecksRequest, ChecksTrustChanged>;
  readonly 'POST /checks/distrust': Route<DistrustChecksRequest, ChecksTrustChanged>;
  readonly 'POST /check': Route<CheckRequest, Check>;
  readonly 'POST /position': Route<PositionRequest, TextPosition>;
  readonly 'POST /walk': Route<DryRunRequest, DryRun>;
  readonly 'POST /try': Route<TrialRequest, Trial>;
  readonly 'POST /duplicate': Route<DuplicateRequest, Duplicated>;
  readonly 'GET /outputs': Route<undefined, PastOutputs>;
  readonly 'POST /judge': Route<JudgeRequest, Judged>;
  readonly 'GET /health': Route<undefined, ConsoleHealth>;
}
