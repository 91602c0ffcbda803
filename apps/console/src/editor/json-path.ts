import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { TextPath } from './yaml-path.ts';

type Node = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;

/** The path at a place in JSON. */
export function jsonPath(state: EditorState, at: number): TextPath {
  const path: string[] = [];
  let key: string | undefined;
  let node: Node | null = syntaxTree(state).resolveInner(at, -1);
  if (node.name === 'PropertyName' && node.parent?.name === 'Property') node = node.parent.parent;
  for (; node !== null; node = node.parent) {
    if (node.name === 'Array') path.unshift('[]');
    if (node.name !== 'Property') continue;
    const name = nameOf(state, node);
    // A value that is no object or list yet belongs to the key before it.
    if (path.length === 0 && key === undefined && !isInside(node, at)) key = name;
    else path.unshift(name);
  }
  return { path, ...(key !== undefined && { key }) };
}

function isInside(property: Node, at: number): boolean {
  const value = property.lastChild;
  return (value?.name === 'Object' || value?.name === 'Array') && at > value.from;
}

function nameOf(state: EditorState, property: Node): string {
  const name = property.getChild('PropertyName');
  if (name === null) return '';
  return state.sliceDoc(name.from, name.to).replaceAll('"', '');
}
