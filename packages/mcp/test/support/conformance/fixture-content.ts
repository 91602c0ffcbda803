/** What the fixtures show: the smallest image and sound there are, in base64. */
export const image = {
  type: 'image',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC',
  mimeType: 'image/png',
} as const;

/** A sound of no length. */
export const sound = {
  type: 'audio',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=',
  mimeType: 'audio/wav',
} as const;

/** A piece of text. */
export function text(said: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: said };
}
