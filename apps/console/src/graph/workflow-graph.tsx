import '@xyflow/react/dist/base.css';
import './graph.css';
import type { ReactFlowInstance } from '@xyflow/react';
import { Controls, Panel, ReactFlow } from '@xyflow/react';
import { foldPicture } from '@workflowlookup/core';
import type { ReactNode } from 'react';
import { useId, useMemo, useRef, useState } from 'react';
import type { PaintedPicture, Picture } from '../contract.ts';
import { firstView } from './first-view.ts';
import type { FlowNode } from './flow-of.ts';
import { flowOf } from './flow-of.ts';
import { layOut } from './lay-out.ts';
import { GroupNode, PlaceNode } from './place-node.tsx';
import { WayEdge } from './way-edge.tsx';

const nodeTypes = { place: PlaceNode, holder: GroupNode };
const edgeTypes = { way: WayEdge };
const nothing: readonly string[] = [];
/** A picture with more nodes is shown without what is inside of activities at first. */
const manyNodes = 40;

/**
 * The picture of a workflow, to look at: it can be moved and made larger. The page around it says the same in a list,
 * which is where the keyboard and screen readers get it.
 */
export function WorkflowGraph({
  graph,
  label,
  marked = nothing,
}: {
  readonly graph: Picture | PaintedPicture;
  readonly label: string;
  /** Ids, as authors gave them, of what stands out. */
  readonly marked?: readonly string[];
}): ReactNode {
  const hasActivities = graph.workflow.kind === 'activities';
  const [isFolded, setIsFolded] = useState(hasActivities && graph.nodes.length > manyNodes);
  const picture = useMemo(() => (isFolded ? foldPicture(graph) : graph), [graph, isFolded]);
  const laidOut = useMemo(() => layOut(picture), [picture]);
  const { nodes, edges } = useMemo(
    () => flowOf(picture, laidOut, new Set(marked)),
    [picture, laidOut, marked],
  );
  const figure = useRef<HTMLElement>(null);
  const show = (flow: Pick<ReactFlowInstance<FlowNode>, 'setViewport'>): void => {
    const box = figure.current?.getBoundingClientRect();
    if (box !== undefined) void flow.setViewport(firstView(nodes, box));
  };
  return (
    <figure className="graph" aria-label={label} ref={figure}>
      <ReactFlow
        // Another picture begins where it can be read.
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
      <label htmlFor={id}>Steps</label>
    </Panel>
  );
}
