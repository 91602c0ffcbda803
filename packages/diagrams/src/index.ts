export { drawWorkflow } from './draw-workflow.ts';
export { foldDiagram } from './diagram.ts';
export type {
  NodeState,
  SessionDiagramEdge,
  SessionDiagramNode,
  SessionDiagram,
  Diagram,
  DiagramEdge,
  DiagramEdgeKind,
  DiagramKind,
  DiagramNode,
} from './diagram.ts';
export { filesOfActivities, outlineOf } from './outline.ts';
export type {
  ActivityFile,
  Outline,
  OutlinedActivity,
  OutlinedActivityLoop,
  OutlinedActivityStep,
  OutlinedCheckpoint,
  OutlinedField,
  OutlinedOption,
  OutlinedStep,
  OutlinedVariable,
  OutlinedTransition,
} from './outline.ts';
export { drawSession, isPlannedAgain } from './draw-session.ts';
