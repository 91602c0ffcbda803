import '@xyflow/react/dist/base.css';
import './graph.css';
import { Controls, ReactFlow } from '@xyflow/react';
import type { ReactNode } from 'react';
import { useMemo } from 'react';
import type { PaintedPicture, Picture } from '../contract.ts';
import { flowOf } from './flow-of.ts';
import { GroupNode, PlaceNode } from './place-node.tsx';

const nodeTypes = { place: PlaceNode, 'group-of-nodes': GroupNode };
const nothing: readonly string[] = [];

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
  const { nodes, edges } = useMemo(() => flowOf(graph, new Set(marked)), [graph, marked]);
  return (
    <figure className="graph" aria-label={label}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.08 }}
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
        <Controls showInteractive={false} />
      </ReactFlow>
    </figure>
  );
}
