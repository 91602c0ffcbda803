import type { ServerRoutes } from './server.ts';
import type { SessionsRoutes } from './sessions.ts';
import type { ChecksRoutes, WorkflowsRoutes } from './workflows.ts';

export type * from './server.ts';
export type * from './workflows.ts';
export type * from './sessions.ts';
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
