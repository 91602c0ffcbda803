import '@xyflow/react/dist/base.css';
import './graph.css';
import { foldDiagram } from '@workflowlookup/diagrams';
import type { ReactFlowInstance, Viewport } from '@xyflow/react';
import { Controls, Panel, ReactFlow } from '@xyflow/react';
import type { ReactNode } from 'react';
import { useId, useMemo, useRef, useState } from 'react';
import type { SessionDiagram, Diagram } from '../contract.ts';
import { workflowMessages } from '../messages/workflows.ts';
import type { FlowNode } from './layout.ts';
import { toFlow, layOut } from './layout.ts';
import { GroupNode, GraphNode, GraphEdge } from './nodes.tsx';

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
}: {
  readonly graph: Diagram | SessionDiagram;
  readonly label: string;
  /** The ids of steps and activities to highlight, as authors wrote them. */
  readonly highlighted?: readonly string[];
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
  const show = (flow: Pick<ReactFlowInstance<FlowNode>, 'setViewport'>): void => {
    const box = figure.current?.getBoundingClientRect();
    if (box !== undefined) void flow.setViewport(initialViewport(nodes, box));
  };
  return (
    <figure className="graph" aria-label={label} ref={figure}>
      <ReactFlow
        // Reset the viewport when the graph is folded or unfolded.
        key={String(isFolded)}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={show}
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
  const zoom = Math.min(Math.max((width - 2 * margin) / right, leastZoom), 1);
  const middle = (node: FlowNode): number => (node.position.x + (node.width ?? 0) / 2) * zoom;
  const focus = nodes.findLast(({ data: { node } }) => 'state' in node && node.state === 'current');
  const centre = focus ?? nodes[0];
  const x = right * zoom <= width ? (width - right * zoom) / 2 : width / 2 - (centre ? middle(centre) : 0);
  const y = focus === undefined ? margin : Math.min(margin, height / 2 - focus.position.y * zoom);
  return { zoom, x, y };
}
