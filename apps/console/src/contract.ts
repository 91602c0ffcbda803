export type * from './contract/sign-in.ts';
export type * from './contract/server.ts';
export type * from './contract/workflows.ts';
export type * from './contract/sessions.ts';
export type * from './contract/routes.ts';
export type {
  NodeState,
  SessionDiagramEdge,
  SessionDiagramNode,
  SessionDiagram,
  Diagram,
  DiagramEdge,
  DiagramNode,
} from '@workflowlookup/diagrams';
