import type { NodeProps } from '@xyflow/react';
import { Handle, Position } from '@xyflow/react';
import { Repeat } from 'lucide-react';
import type { ReactNode } from 'react';
import { ToneIcon } from '../parts/tone.tsx';
import type { FlowNode } from './flow-of.ts';
import { hasFoot, kindIcons } from './kind-icons.ts';
import { toneOf } from './standing-tone.ts';

/** A node of a picture: its label, what kind it is, and what became of it. */
export function PlaceNode({ data: { node, isMarked } }: NodeProps<FlowNode>): ReactNode {
  const painted = 'state' in node ? node : undefined;
  const Icon = kindIcons[node.kind];
  return (
    <div
      className="place"
      data-kind={node.kind}
      data-state={painted?.state}
      data-marked={isMarked || undefined}
      data-bare={!hasFoot(node) || undefined}
      title={titleOf(node)}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} />
      {node.kind !== 'exit' && (
        <>
          <span className="place-label">{node.label === '' ? node.kind : node.label}</span>
          {hasFoot(node) && (
            <span className="place-foot">
              {painted !== undefined && (
                <>
                  <ToneIcon tone={toneOf(painted.state)} />
                  {toneOf(painted.state)}
                </>
              )}
              {Icon !== undefined && <Icon size={13} aria-label={node.kind} />}
              {painted !== undefined && painted.visits > 1 && (
                <span className="place-visits">{painted.visits}×</span>
              )}
            </span>
          )}
        </>
      )}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}

/** A loop or an activity that holds others. */
export function GroupNode({ data: { node } }: NodeProps<FlowNode>): ReactNode {
  const painted = 'state' in node ? node : undefined;
  return (
    <div className="place-group" data-state={painted?.state} title={titleOf(node)}>
      <span className="place-group-label">
        {node.kind === 'loop' && <Repeat size={13} aria-label="loop" />}
        {painted !== undefined && <ToneIcon tone={toneOf(painted.state)} />}
        {node.label}
        {painted !== undefined && painted.visits > 1 && ` ${painted.visits}×`}
      </span>
    </div>
  );
}

/** All that is known of a node, for who points at it. */
function titleOf(node: FlowNode['data']['node']): string {
  const more = [
    node.label,
    node.when === undefined ? '' : `when ${node.when}`,
    node.rounds ?? '',
    node.approver === 'human' ? 'only a person may answer' : '',
    'why' in node ? node.why : '',
  ];
  return more.filter((line) => line !== undefined && line !== '').join('\n');
}
