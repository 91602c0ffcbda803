import type { Json, JsonObject } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import type { SessionEvent } from '../session/session-event.ts';

/** An output with more bytes than this is kept once, by its digest. */
const maxInlineBytes = 8192;

/** An event as a journal keeps it, and the digests of what it refers to. */
export interface KeptEvent {
  readonly data: JsonObject;
  readonly blobs: readonly string[];
}

/** Puts the long outputs of a manifest into the store: the event keeps `{blob: digest}` in their place. */
export async function keepOutputs(store: SessionStore, event: SessionEvent): Promise<KeptEvent> {
  const data = event as unknown as JsonObject;
  if (!('manifest' in event) || !event.manifest.some(({ output }) => isLong(output)))
    return { data, blobs: [] };
  const blobs: string[] = [];
  const manifest: Json[] = [];
  for (const { step_id, output } of event.manifest) {
    if (!isLong(output)) {
      manifest.push({ step_id, output });
      continue;
    }
    const blob = await store.putBlob(output);
    blobs.push(blob);
    manifest.push({ step_id, output: { blob } });
  }
  return { data: { ...data, manifest }, blobs: [...new Set(blobs)] };
}

function isLong(output: string): boolean {
  // No character has more than three bytes for each of its code units.
  if (output.length * 3 <= maxInlineBytes) return false;
  return output.length > maxInlineBytes || new TextEncoder().encode(output).length > maxInlineBytes;
}
