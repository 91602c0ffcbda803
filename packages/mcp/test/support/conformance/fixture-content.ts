/** A PNG image of one pixel, in base64. */
export const image = {
  type: 'image',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC',
  mimeType: 'image/png',
} as const;

/** A WAV file without samples, in base64. */
export const sound = {
  type: 'audio',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=',
  mimeType: 'audio/wav',
} as const;

/** Returns a text content block. */
export function text(said: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: said };
}
