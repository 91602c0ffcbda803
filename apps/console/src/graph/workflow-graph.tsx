import { foldDiagram } from '@workflowlookup/diagrams';
import type { EdgeProps, NodeProps, ReactFlowInstance, Viewport } from '@xyflow/react';
import { BaseEdge, Controls, Handle, Position, ReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { Repeat } from 'lucide-react';
import type { CSSProperties, KeyboardEvent, ReactNode, UIEvent } from 'react';
import { useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import { ToneIcon, toneOf } from '../components/tags.tsx';
import type {
  Diagram,
  DiagramEdge,
  DiagramNode,
  SessionDiagram,
  SessionDiagramNode,
} from '../contract/index.ts';
import { commonMessages } from '../messages/common.ts';
import { workflowMessages } from '../messages/workflows.ts';
import { EditNode } from '../workflows/parts.tsx';
import './graph.css';
import type { GraphTarget } from './graph-targets.ts';
import { targetOfEdge, targetOfNode } from './graph-targets.ts';
import type { EdgeRoute, FlowEdge, FlowNode, Size } from './layout.ts';
import { hasFooter, kindIcons, layOut, toFlow } from './layout.ts';

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
  const picture = useMemo(() => (isFolded ? withoutSteps(graph) : graph), [graph, isFolded]);
  const laidOut = useMemo(() => layOut(picture), [picture]);
  const { nodes, edges } = useMemo(
    () => toFlow(picture, laidOut, new Set(highlighted)),
    [picture, laidOut, highlighted],
  );
  const figure = useRef<HTMLElement>(null);
  const [zoom, setZoom] = useState(1);
  /** The width of the area in which the whole graph is shown. Absent while it shows a part that can be moved. */
  const [wholeWidth, setWholeWidth] = useState<number>();
  const whole = wholeWidth === undefined ? undefined : wholeView(laidOut, nodes, wholeWidth);
  const choose = (target: GraphTarget | undefined): void => {
    if (target !== undefined) onChoose?.(target);
  };
  const flow = useRef<Flow>(undefined);
  const show = (started: Flow): void => {
    flow.current = started;
    const box = figure.current?.getBoundingClientRect();
    const viewport = whole?.viewport ?? (box && initialViewport(nodes, box));
    if (viewport !== undefined) void started.setViewport(viewport);
  };
  const isWhole = whole !== undefined;
  /** Moves the graph with the keys that scroll a page. At its end, they scroll the page again. */
  const scroll = (event: KeyboardEvent<HTMLDivElement>): void => {
    const started = flow.current;
    if (isWhole || started === undefined || event.target !== event.currentTarget || hasModifier(event))
      return;
    const { clientWidth: width, clientHeight: height } = event.currentTarget;
    const before = started.getViewport();
    const viewport = scrolled(before, event.key, laidOut, { width, height });
    if (viewport.x === before.x && viewport.y === before.y) return;
    event.preventDefault();
    void started.setViewport(viewport);
  };
  const scroller = useRef<HTMLDivElement>(null);
  const centre = useEffectEvent(() => {
    if (scroller.current !== null && whole !== undefined) scroller.current.scrollLeft = whole.left;
  });
  useEffect(() => centre(), [isWhole, isFolded]);
  const [only, ...others] = highlighted;
  const followed = others.length === 0 && !isWhole ? only : undefined;
  const follow = useEffectEvent(() => flow.current && show(flow.current));
  useEffect(() => {
    // Move a highlighted node into view.
    if (followed !== undefined) follow();
  }, [followed]);
  return (
    <figure
      className="graph"
      aria-label={label}
      data-chooses={onChoose !== undefined || undefined}
      data-far={(whole?.viewport.zoom ?? zoom) < leastZoom || undefined}
      data-whole={isWhole || undefined}
      style={{ '--zoom': zoom } as CSSProperties}
      ref={figure}
    >
      <div className="graph-switches">
        {hasActivities && (
          <Switch
            label={workflowMessages.page.showSteps}
            isOn={!isFolded}
            onChange={(isOn) => setIsFolded(!isOn)}
          />
        )}
        <Switch
          label={workflowMessages.page.showWhole}
          isOn={isWhole}
          onChange={(isOn) => setWholeWidth(isOn ? figure.current?.clientWidth : undefined)}
        />
      </div>
      <div
        className="graph-scroll"
        ref={scroller}
        tabIndex={0}
        role="group"
        aria-label={workflowMessages.page.graphArea}
        onKeyDown={scroll}
      >
        <div className="graph-area" style={whole?.size}>
          <ReactFlow
            // Reset the viewport when another graph, or another part of it, is shown.
            key={`${isFolded} ${isWhole}`}
            nodes={nodes}
            edges={edges}
            nodeTypes={nodeTypes}
            edgeTypes={edgeTypes}
            onInit={show}
            onScrollCapture={(event) => !isWhole && keepInView(event, flow.current)}
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
            // The whole graph scrolls with the page.
            panOnDrag={!isWhole}
            zoomOnPinch={!isWhole}
            zoomOnDoubleClick={!isWhole}
            preventScrolling={false}
            proOptions={{ hideAttribution: true }}
          >
            {!isWhole && <Controls showInteractive={false} showFitView={false} />}
          </ReactFlow>
        </div>
      </div>
    </figure>
  );
}

function Switch({
  label,
  isOn,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}): ReactNode {
  const id = useId();
  return (
    <div className="graph-switch">
      <input id={id} type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      <label htmlFor={id}>{label}</label>
    </div>
  );
}

type Flow = Pick<ReactFlowInstance<FlowNode>, 'getViewport' | 'setViewport'>;

const margin = 16;
/** Labels can't be read below this zoom. */
const leastZoom = 0.7;
/** A graph that is too large for its area opens at this zoom or a larger one. */
const openingZoom = 0.85;

/**
 * Returns the view of a whole graph in an area of this width. Its labels can be read, so it may be higher than the
 * window, and wider than the area: then `left` scrolls it so that the current activity or the start is in the middle.
 */
function wholeView({ width, height }: Size, nodes: readonly FlowNode[], areaWidth: number) {
  const zoom = Math.min(1, Math.max(leastZoom, areaWidth / width));
  const size = { width: Math.max(areaWidth, width * zoom), height: height * zoom };
  const x = (size.width - width * zoom) / 2;
  const centre = focusOf(nodes) ?? nodes[0];
  const left = centre === undefined ? 0 : x + middleOf(centre) * zoom - areaWidth / 2;
  return { size, viewport: { zoom, x, y: 0 }, left };
}

/**
 * Moves the graph to a node that the browser scrolls into view, for example for a screen reader. React Flow reverts the
 * scrolling, so without this the node would move away again, even between the two halves of a click.
 */
function keepInView({ target, currentTarget: area }: UIEvent<HTMLDivElement>, flow: Flow | undefined): void {
  const { scrollLeft, scrollTop } = area;
  if (flow === undefined || target !== area || (scrollLeft === 0 && scrollTop === 0)) return;
  area.scrollTo({ left: 0, top: 0, behavior: 'instant' });
  const { x, y, zoom } = flow.getViewport();
  void flow.setViewport({ x: x - scrollLeft, y: y - scrollTop, zoom });
}

/** Returns the node that somebody looks for: the current activity, or the one that is highlighted. */
function focusOf(nodes: readonly FlowNode[]): FlowNode | undefined {
  return (
    nodes.findLast(({ data: { node } }) => 'state' in node && isHere(node.state)) ??
    nodes.find(({ data: { isHighlighted } }) => isHighlighted)
  );
}

function middleOf({ position, width = 0 }: FlowNode): number {
  return position.x + width / 2;
}

/**
 * Returns the initial viewport. It shows the whole graph if labels stay readable, otherwise the current activity, what
 * is highlighted, or the start of the workflow.
 */
function initialViewport(nodes: readonly FlowNode[], { width, height }: Size): Viewport {
  const right = Math.max(...nodes.map((node) => node.position.x + (node.width ?? 0)));
  const bottom = Math.max(...nodes.map((node) => node.position.y + (node.height ?? 0)));
  const whole = Math.min((width - 2 * margin) / right, (height - 2 * margin) / bottom, 1);
  if (whole >= leastZoom) return { zoom: whole, x: (width - right * whole) / 2, y: margin };
  const zoom = Math.min(Math.max((width - 2 * margin) / right, openingZoom), 1);
  const focus = focusOf(nodes);
  const centre = focus ?? nodes[0];
  const x =
    right * zoom + 2 * margin <= width
      ? (width - right * zoom) / 2
      : within(width / 2 - (centre ? middleOf(centre) * zoom : 0), width - right * zoom);
  const y =
    focus === undefined ? margin : within(height / 2 - focus.position.y * zoom, height - bottom * zoom);
  return { zoom, x, y };
}

/** Returns an offset with which the graph fills its area up to the last node. */
function within(offset: number, last: number): number {
  return Math.min(margin, Math.max(last - margin, offset));
}

function hasModifier({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey || shiftKey;
}

/** How far an arrow key moves the graph, in pixels. */
const stride = 60;

/** Returns the viewport after a key that scrolls; the same one for other keys, and where the graph ends. */
function scrolled({ x, y, zoom }: Viewport, key: string, graph: Size, area: Size): Viewport {
  const page = area.height * 0.9;
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowUp: [0, stride],
    ArrowDown: [0, -stride],
    ArrowLeft: [stride, 0],
    ArrowRight: [-stride, 0],
    PageUp: [0, page],
    PageDown: [0, -page],
    Home: [0, Infinity],
    End: [0, -Infinity],
  };
  const [right = 0, down = 0] = moves[key] ?? [];
  return {
    zoom,
    x: right === 0 ? x : movedTo(x, x + right, area.width - graph.width * zoom),
    y: down === 0 ? y : movedTo(y, y + down, area.height - graph.height * zoom),
  };
}

/** Returns an offset after a move. A graph that fits does not move. */
function movedTo(before: number, offset: number, last: number): number {
  return last >= 2 * margin ? before : within(offset, last);
}

/** Returns whether a session is at a node with this state. The last move from it may have been refused. */
function isHere(state: SessionDiagramNode['state']): boolean {
  return state === 'current' || state === 'refused';
}

function GraphNode({ data: { node, isHighlighted, part } }: NodeProps<FlowNode>): ReactNode {
  const painted = 'state' in node ? node : undefined;
  const Icon = kindIcons[node.approver === undefined ? node.kind : 'checkpoint'];
  // The state of a session needs the place.
  const asks = painted === undefined ? questionText(node) : undefined;
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
          <span className="node-label clamped">{node.label === '' ? node.kind : node.label}</span>
          {hasFooter(node) && (
            <span className="node-footer">
              {painted !== undefined && (
                <>
                  <ToneIcon tone={toneOf(painted.state)} />
                  {commonMessages.state[toneOf(painted.state)]}
                </>
              )}
              {Icon !== undefined && (
                <Icon size={13} aria-label={asks === undefined ? node.kind : undefined} />
              )}
              {asks}
              {painted !== undefined && painted.visits > 1 && (
                <span className="node-visits">{painted.visits}×</span>
              )}
            </span>
          )}
          {part !== undefined && <EditNode part={part} name={node.label} />}
        </>
      )}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}

/** Folds the activities. Each says who answers its questions, unless the agent does. */
function withoutSteps(graph: Diagram | SessionDiagram): Diagram | SessionDiagram {
  const folded = foldDiagram<DiagramNode, DiagramEdge>(graph);
  const asked = graph.nodes
    .filter(({ kind }) => kind === 'checkpoint')
    .map(({ id, approver }) => ({ approver, activity: targetOfNode(graph, id)?.id }));
  const nodes = folded.nodes.map((node) => {
    if (node.kind !== 'activity') return node;
    const own = asked.filter(({ activity }) => activity === node.ref);
    const approver = (['human', 'any'] as const).find((who) => own.some((one) => one.approver === who));
    return approver === undefined ? node : { ...node, approver };
  });
  return { ...folded, nodes };
}

/** Says who answers a checkpoint, or that an activity without its content ends with a question. */
function questionText({ kind, approver }: DiagramNode): string | undefined {
  const { answers, asks } = workflowMessages.page;
  if (approver === undefined) return undefined;
  if (kind === 'checkpoint') return answers[approver];
  return approver === 'agent' ? undefined : asks[approver];
}

/** Renders a loop or an activity around its children. */
function GroupNode({ data: { node, part } }: NodeProps<FlowNode>): ReactNode {
  const painted = 'state' in node ? node : undefined;
  return (
    <div className="node-group" data-state={painted?.state} title={titleOf(node)}>
      <span className="node-group-label one-line">
        {node.kind === 'loop' && <Repeat size={13} aria-label="loop" />}
        {painted !== undefined && <ToneIcon tone={toneOf(painted.state)} />}
        {node.label}
        {painted !== undefined && painted.visits > 1 && ` ${painted.visits}×`}
        {painted !== undefined && isHere(painted.state) && (
          <strong>{commonMessages.state[toneOf(painted.state)]}</strong>
        )}
        {part !== undefined && <EditNode part={part} name={node.label} />}
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
