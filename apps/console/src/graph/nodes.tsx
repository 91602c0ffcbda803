import type { EdgeProps, NodeProps } from '@xyflow/react';
import { BaseEdge, Handle, Position } from '@xyflow/react';
import { Repeat } from 'lucide-react';
import type { ReactNode } from 'react';
import { ToneIcon, toneOf } from '../components/tone.tsx';
import { commonMessages } from '../messages/common.ts';
import type { FlowEdge, FlowNode, EdgeRoute } from './layout.ts';
import { hasFooter, kindIcons } from './layout.ts';

export function GraphNode({ data: { node, isHighlighted } }: NodeProps<FlowNode>): ReactNode {
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
                  <ToneIcon tone={commonMessages.state[toneOf(painted.state)]} />
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
export function GroupNode({ data: { node } }: NodeProps<FlowNode>): ReactNode {
  const painted = 'state' in node ? node : undefined;
  return (
    <div className="node-group" data-state={painted?.state} title={titleOf(node)}>
      <span className="node-group-label">
        {node.kind === 'loop' && <Repeat size={13} aria-label="loop" />}
        {painted !== undefined && <ToneIcon tone={commonMessages.state[toneOf(painted.state)]} />}
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

export function GraphEdge({ data, label, markerEnd }: EdgeProps<FlowEdge>): ReactNode {
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

function pathOf(points: EdgeRoute['points']): string {
  const bends = points.slice(1, -1).map((bend, at) => {
    const next = points[at + 2] ?? bend;
    const isLast = at === points.length - 3;
    const to = isLast ? next : { x: (bend.x + next.x) / 2, y: (bend.y + next.y) / 2 };
    return `Q ${bend.x} ${bend.y} ${to.x} ${to.y}`;
  });
  const [first = { x: 0, y: 0 }, second = first] = points;
  return [`M ${first.x} ${first.y}`, ...(bends.length === 0 ? [`L ${second.x} ${second.y}`] : bends)].join(
    ' ',
  );
}
