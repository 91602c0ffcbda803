import { foldDiagram } from '@workflowlookup/diagrams';
import type { EdgeProps, NodeProps, ReactFlowInstance, Viewport } from '@xyflow/react';
import { BaseEdge, Controls, Handle, Panel, Position, ReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { Repeat } from 'lucide-react';
import type { CSSProperties, ReactNode } from 'react';
import { useId, useMemo, useRef, useState } from 'react';
import { ToneIcon, toneOf } from '../components/tags.tsx';
import type { Diagram, SessionDiagram, SessionDiagramNode } from '../contract.ts';
import { commonMessages } from '../messages/common.ts';
import { workflowMessages } from '../messages/workflows.ts';
import './graph.css';
import type { EdgeRoute, FlowEdge, FlowNode, GraphTarget } from './layout.ts';
import { hasFooter, kindIcons, layOut, targetOfEdge, targetOfNode, toFlow } from './layout.ts';

const nodeTypes = { node: GraphNode, container: GroupNode };
const edgeTypes = { route: GraphEdge };
const noIds: readonly string[] = [];
/** A larger graph first shows activities without their steps. */
const maxUnfoldedNodes = 40;

/**
 * Renders the graph of a workflow, with pan and zoom. Every page that shows it has the same content as a list for
 * keyboards and screen readers.
 */
export function WorkflowGraph({
  graph,
  label,
  highlighted = noIds,
  onChoose,
}: {
  readonly graph: Diagram | SessionDiagram;
  readonly label: string;
  /** The ids of steps and activities to highlight, as authors wrote them. */
  readonly highlighted?: readonly string[];
  /** Called when the user clicks a node or an edge that leads somewhere. */
  readonly onChoose?: ((target: GraphTarget) => void) | undefined;
}): ReactNode {
  const hasActivities = graph.workflow.kind === 'activities';
  const [isFolded, setIsFolded] = useState(hasActivities && graph.nodes.length > maxUnfoldedNodes);
  const picture = useMemo(() => (isFolded ? foldDiagram(graph) : graph), [graph, isFolded]);
  const laidOut = useMemo(() => layOut(picture), [picture]);
  const { nodes, edges } = useMemo(
    () => toFlow(picture, laidOut, new Set(highlighted)),
    [picture, laidOut, highlighted],
  );
  const figure = useRef<HTMLElement>(null);
  const [zoom, setZoom] = useState(1);
  const choose = (target: GraphTarget | undefined): void => {
    if (target !== undefined) onChoose?.(target);
  };
  const show = (flow: Pick<ReactFlowInstance<FlowNode>, 'setViewport'>): void => {
    const box = figure.current?.getBoundingClientRect();
    if (box !== undefined) void flow.setViewport(initialViewport(nodes, box));
  };
  return (
    <figure
      className="graph"
      aria-label={label}
      data-chooses={onChoose !== undefined || undefined}
      data-far={zoom < leastZoom || undefined}
      style={{ '--zoom': zoom } as CSSProperties}
      ref={figure}
    >
      <ReactFlow
        // Reset the viewport when the graph is folded or unfolded.
        key={String(isFolded)}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={show}
        onViewportChange={(viewport) => setZoom(viewport.zoom)}
        onNodeClick={(_, { id }) => choose(targetOfNode(graph, id))}
        onEdgeClick={(_, { id }) => choose(targetOfEdge(graph, id))}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
      >
        <Controls showInteractive={false} fitViewOptions={{ padding: 0.05 }} />
        {hasActivities && <FoldSwitch isFolded={isFolded} onChange={setIsFolded} />}
      </ReactFlow>
    </figure>
  );
}

function FoldSwitch({
  isFolded,
  onChange,
}: {
  readonly isFolded: boolean;
  readonly onChange: (isFolded: boolean) => void;
}): ReactNode {
  const id = useId();
  return (
    <Panel position="top-right" className="graph-switch">
      <input
        id={id}
        type="checkbox"
        checked={!isFolded}
        onChange={({ target }) => onChange(!target.checked)}
      />
      <label htmlFor={id}>{workflowMessages.page.showSteps}</label>
    </Panel>
  );
}

const margin = 16;
/** Labels can't be read below this zoom. */
const leastZoom = 0.7;
/** A graph that is too large for its area opens at this zoom or a larger one. */
const openingZoom = 0.85;

/**
 * Returns the initial viewport. It shows the whole graph if labels stay readable, otherwise the current activity, or
 * the start of the workflow.
 */
function initialViewport(
  nodes: readonly FlowNode[],
  { width, height }: { readonly width: number; readonly height: number },
): Viewport {
  const right = Math.max(...nodes.map((node) => node.position.x + (node.width ?? 0)));
  const bottom = Math.max(...nodes.map((node) => node.position.y + (node.height ?? 0)));
  const whole = Math.min((width - 2 * margin) / right, (height - 2 * margin) / bottom, 1);
  if (whole >= leastZoom) return { zoom: whole, x: (width - right * whole) / 2, y: margin };
  const zoom = Math.min(Math.max((width - 2 * margin) / right, openingZoom), 1);
  const middle = (node: FlowNode): number => (node.position.x + (node.width ?? 0) / 2) * zoom;
  const focus = nodes.findLast(({ data: { node } }) => 'state' in node && isHere(node.state));
  const centre = focus ?? nodes[0];
  const x =
    right * zoom + 2 * margin <= width
      ? (width - right * zoom) / 2
      : within(width / 2 - (centre ? middle(centre) : 0), width - right * zoom);
  const y =
    focus === undefined ? margin : within(height / 2 - focus.position.y * zoom, height - bottom * zoom);
  return { zoom, x, y };
}

/** Returns an offset with which the graph fills its area up to the last node. */
function within(offset: number, last: number): number {
  return Math.min(margin, Math.max(last - margin, offset));
}

/** Returns whether a session is at a node with this state. The last move from it may have been refused. */
function isHere(state: SessionDiagramNode['state']): boolean {
  return state === 'current' || state === 'refused';
}

function GraphNode({ data: { node, isHighlighted } }: NodeProps<FlowNode>): ReactNode {
  const painted = 'state' in node ? node : undefined;
  const Icon = kindIcons[node.kind];
  return (
    <div
      className="node"
      data-kind={node.kind}
      data-state={painted?.state}
      data-highlighted={isHighlighted || undefined}
      data-bare={!hasFooter(node) || undefined}
      title={titleOf(node)}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} />
      {node.kind !== 'exit' && (
        <>
          <span className="node-label">{node.label === '' ? node.kind : node.label}</span>
          {hasFooter(node) && (
            <span className="node-footer">
              {painted !== undefined && (
                <>
                  <ToneIcon tone={toneOf(painted.state)} />
                  {commonMessages.state[toneOf(painted.state)]}
                </>
              )}
              {Icon !== undefined && <Icon size={13} aria-label={node.kind} />}
              {painted !== undefined && painted.visits > 1 && (
                <span className="node-visits">{painted.visits}×</span>
              )}
            </span>
          )}
        </>
      )}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}

/** Renders a loop or an activity around its children. */
function GroupNode({ data: { node } }: NodeProps<FlowNode>): ReactNode {
  const painted = 'state' in node ? node : undefined;
  return (
    <div className="node-group" data-state={painted?.state} title={titleOf(node)}>
      <span className="node-group-label">
        {node.kind === 'loop' && <Repeat size={13} aria-label="loop" />}
        {painted !== undefined && <ToneIcon tone={toneOf(painted.state)} />}
        {node.label}
        {painted !== undefined && painted.visits > 1 && ` ${painted.visits}×`}
      </span>
    </div>
  );
}

function titleOf(node: FlowNode['data']['node']): string {
  const more = [
    node.label,
    node.when === undefined ? '' : commonMessages.conditions.when(node.when),
    node.rounds ?? '',
    node.approver === 'human' ? commonMessages.conditions.onlyPerson : '',
    'why' in node ? node.why : '',
  ];
  return more.filter((line) => line !== undefined && line !== '').join('\n');
}

function GraphEdge({ data, label, markerEnd }: EdgeProps<FlowEdge>): ReactNode {
  if (data === undefined) return null;
  const { points, x, y } = data.route;
  return (
    <BaseEdge
      path={pathOf(points)}
      label={label}
      labelX={x}
      labelY={y}
      {...(markerEnd !== undefined && { markerEnd })}
    />
  );
}

/**
 * Returns a smooth path through all points, so that the label of an edge is on its line. Between two points it never
 * turns back, because nodes may be there.
 */
function pathOf(points: EdgeRoute['points']): string {
  const slopes = points.map((_, index) => slopeAt(points, index));
  const [first = { x: 0, y: 0 }] = points;
  const curves = points.slice(1).map((end, index) => {
    const start = points[index] ?? end;
    const third = (end.y - start.y) / 3;
    const [leaving = 0, arriving = 0] = [slopes[index], slopes[index + 1]];
    const bends = [start.x + leaving * third, start.y + third, end.x - arriving * third, end.y - third];
    return `C ${bends.join(' ')} ${end.x} ${end.y}`;
  });
  return [`M ${first.x} ${first.y}`, ...curves].join(' ');
}

/** Returns how far a line through a point goes sideways for each pixel down: not at all where it turns. */
function slopeAt(points: EdgeRoute['points'], index: number): number {
  const between = (from: number): number | undefined => {
    const [start, end] = [points[from], points[from + 1]];
    if (start === undefined || end === undefined || start.y === end.y) return undefined;
    return (end.x - start.x) / (end.y - start.y);
  };
  const [before, after] = [between(index - 1), between(index)];
  if (before === undefined || after === undefined) return before ?? after ?? 0;
  return before * after <= 0 ? 0 : (2 * before * after) / (before + after);
}
