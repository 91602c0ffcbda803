import type { Me, NewSession, OAuthJourney, OAuthReturn, SignInRequest } from './account.ts';
import type { GateAnswer, GateAnswered, GatesPage } from './gates.ts';
import type { ConsoleHealth } from './health.ts';
import type { JudgeRequest, Judged, Walk, WalkRequest } from './playground.ts';
import type { EventsPage, Run } from './run.ts';
import type { RunsPage } from './runs.ts';
import type { DefinitionReview, TrustGiven, TrustRequest, UntrustedList } from './trust.ts';
import type {
  Catalogue,
  Check,
  CheckRequest,
  DefinitionText,
  Saved,
  SaveRequest,
  WorkflowDetail,
} from './workflows.ts';

/** What a route takes and answers. */
export interface Route<Body, Answer> {
  readonly body: Body;
  readonly answer: Answer;
}

/**
 * Every route that answers JSON; besides them there are `GET /runs/:sid/export` and `GET /changes`. All stand under
 * `/console/api`, and all but those that sign in take the session token in `Authorization: Bearer …`.
 */
export interface ConsoleRoutes {
  readonly 'GET /me': Route<undefined, Me>;
  readonly 'POST /sign-in': Route<SignInRequest, NewSession>;
  readonly 'POST /oauth/begin': Route<undefined, OAuthJourney>;
  readonly 'POST /oauth/finish': Route<OAuthReturn, NewSession>;
  readonly 'POST /sign-out': Route<undefined, undefined>;
  readonly 'GET /runs': Route<undefined, RunsPage>;
  readonly 'GET /runs/:sid': Route<undefined, Run>;
  readonly 'GET /runs/:sid/events': Route<undefined, EventsPage>;
  readonly 'POST /runs/:sid/answer': Route<GateAnswer, GateAnswered>;
  readonly 'GET /gates': Route<undefined, GatesPage>;
  readonly 'GET /workflows': Route<undefined, Catalogue>;
  readonly 'GET /workflows/:id': Route<undefined, WorkflowDetail>;
  readonly 'GET /text': Route<undefined, DefinitionText>;
  readonly 'PUT /text': Route<SaveRequest, Saved>;
  readonly 'GET /untrusted': Route<undefined, UntrustedList>;
  readonly 'GET /untrusted/review': Route<undefined, DefinitionReview>;
  readonly 'POST /trust': Route<TrustRequest, TrustGiven>;
  readonly 'POST /check': Route<CheckRequest, Check>;
  readonly 'POST /walk': Route<WalkRequest, Walk>;
  readonly 'POST /judge': Route<JudgeRequest, Judged>;
  readonly 'GET /health': Route<undefined, ConsoleHealth>;
}
