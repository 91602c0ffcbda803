import type { Picture, PictureEdge, PictureNode } from './picture.ts';

/**
 * A picture without what is inside some of its groups, by default inside activities: edges that lead into or out of a
 * group end at it, those within are gone. A painted picture stays painted.
 */
export function foldPicture<Node extends PictureNode, Edge extends PictureEdge>(
  picture: Picture<Node, Edge>,
  isFolded: (node: Node) => boolean = ({ kind }) => kind === 'activity',
): Picture<Node, Edge> {
  const standIns = new Map<string, string>();
  const nodes = picture.nodes.filter((node) => {
    const above = node.parent === undefined ? undefined : standIns.get(node.parent);
    if (above !== undefined || isFolded(node)) standIns.set(node.id, above ?? node.id);
    return above === undefined;
  });
  const standIn = (id: string): string => standIns.get(id) ?? id;
  const edges = picture.edges.flatMap((edge) => {
    const from = standIn(edge.from);
    const to = standIn(edge.to);
    return from === to && isWithin(edge) ? [] : [{ ...edge, from, to }];
  });
  return { ...picture, nodes, edges };
}

/** An activity may lead to itself; what else begins and ends in one group is inside of it. */
function isWithin({ kind, by }: PictureEdge): boolean {
  return kind !== 'way' && (kind !== 'answer' || by === undefined);
}
