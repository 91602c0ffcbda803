import type { PaintedEdge, PaintedNode, Picture, PictureEdge, PictureNode } from '@workflowlookup/core';

/** A node that may be painted. */
export type DrawnNode = PictureNode & Partial<PaintedNode>;

/** An edge that may be painted. */
export type DrawnEdge = PictureEdge & Partial<PaintedEdge>;

/** A picture that is drawn, painted or not. */
export type DrawnPicture = Picture<DrawnNode, DrawnEdge>;
