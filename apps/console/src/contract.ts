import type { ChecksRoutes } from './contract/checks.ts';
import type { ServerRoutes } from './contract/server.ts';
import type { SessionsRoutes } from './contract/sessions.ts';
import type { WorkflowsRoutes } from './contract/workflows.ts';

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

/**
 * The routes that answer with JSON, below `/console/api`. `GET /sessions/:sid/export`, `GET /insights/csv` and `GET /changes` answer in other
 * formats. All routes except those for signing in require the token in `Authorization: Bearer …`.
 */
export interface ConsoleRoutes extends ServerRoutes, SessionsRoutes, WorkflowsRoutes, ChecksRoutes {}
