import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import type { FormattingOptions } from 'jsonc-parser';
import { isMap, isScalar, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import type { Notation } from '../notation.ts';
import type { Change, Edit, Path } from './change.ts';

/** A text after changes, with all else as it is; YAML is laid out anew, with its comments. */
export function applyChanges(text: string, notation: Notation, changes: readonly Change[]): string {
  if (changes.length === 0) return text;
  return notation === 'json' ? changes.reduce(changeJson, text) : changeYaml(text, changes);
}

function changeJson(text: string, { path, edit }: Change): string {
  if (edit.kind === 'rename') return renameInJson(text, path, edit.to);
  const value = edit.kind === 'set' ? edit.value : undefined;
  return applyEdits(text, modify(text, [...path], value, { formattingOptions: layoutOf(text) }));
}

function renameInJson(text: string, path: Path, to: string): string {
  const root = parseTree(text);
  const key = root && findNodeAtLocation(root, [...path])?.parent?.children?.[0];
  if (key === undefined) return text;
  return applyEdits(text, [{ offset: key.offset, length: key.length, content: JSON.stringify(to) }]);
}

/** How the text is indented. */
function layoutOf(text: string): FormattingOptions {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol,
  };
}

function changeYaml(text: string, changes: readonly Change[]): string {
  const document = parseDocument(text, { version: '1.2', schema: 'core' });
  for (const { path, edit } of changes) changeInYaml(document, path, edit);
  return document.toString({ lineWidth: 0 });
}

function changeInYaml(document: Document, path: Path, edit: Edit): void {
  if (edit.kind === 'set') return document.setIn(path, document.createNode(edit.value));
  if (edit.kind === 'remove') return void document.deleteIn(path);
  const owner = document.getIn(path.slice(0, -1), true);
  const pair = isMap(owner)
    ? owner.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
    : undefined;
  if (isScalar(pair?.key)) pair.key.value = edit.to;
}
