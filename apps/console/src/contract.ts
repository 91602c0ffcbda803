export type * from './contract/sign-in.ts';
export type * from './contract/server.ts';
export type * from './contract/workflows.ts';
export type * from './contract/runs.ts';
export type * from './contract/routes.ts';
export type {
  NodeState,
  PaintedEdge,
  PaintedNode,
  PaintedPicture,
  Picture,
  PictureEdge,
  PictureNode,
} from '@workflowlookup/diagrams';
