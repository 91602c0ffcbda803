import type { Me, SignInRequest, SignedIn } from './account.ts';
import type { GateAnswer, GateAnswered, GatesPage } from './gates.ts';
import type { ConsoleHealth } from './health.ts';
import type { JudgeRequest, Judged, Walk, WalkRequest } from './playground.ts';
import type { EventsPage, Run } from './run.ts';
import type { RunsPage } from './runs.ts';
import type {
  Catalogue,
  Check,
  CheckRequest,
  DefinitionText,
  Saved,
  SaveRequest,
  WorkflowDetail,
} from './workflows.ts';

/**
 * A header every request has that is not a `GET`, with the value `1`: no page of another origin can send it unasked.
 * Such a request without it is refused with 403 `FORBIDDEN`. Bodies are `application/json`.
 */
export type CustomHeader = 'x-workflowlookup-console';

/** What a route takes and answers. */
export interface Route<Body, Answer> {
  readonly body: Body;
  readonly answer: Answer;
}

/** Every route that answers JSON; besides them there are `GET /runs/:sid/export` and `GET /changes`. All stand under `/console/api`. */
export interface ConsoleRoutes {
  readonly 'GET /me': Route<undefined, Me>;
  readonly 'POST /sign-in': Route<SignInRequest, SignedIn>;
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
  readonly 'POST /check': Route<CheckRequest, Check>;
  readonly 'POST /walk': Route<WalkRequest, Walk>;
  readonly 'POST /judge': Route<JudgeRequest, Judged>;
  readonly 'GET /health': Route<undefined, ConsoleHealth>;
}
