export { foldPicture, graphOf } from './build-diagram.ts';
export type {
  NodeState,
  PaintedEdge,
  PaintedNode,
  PaintedPicture,
  Picture,
  PictureEdge,
  PictureEdgeKind,
  PictureKind,
  PictureNode,
} from './diagram.ts';
export { outlineOf } from './outline.ts';
export type {
  Outline,
  OutlinedActivity,
  OutlinedActivityLoop,
  OutlinedActivityStep,
  OutlinedCheckpoint,
  OutlinedOption,
  OutlinedStep,
  OutlinedVariable,
  OutlinedWay,
} from './outline.ts';
export { paintGraph } from './paint-diagram.ts';
