import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { send } from '../api/ask.ts';
import { reasonOf } from '../api/refusal.ts';
import { Notice } from '../parts/notice.tsx';

/** Downloads the journal of a run. A plain link would not do: the browser would ask without the session token. */
export function ExportButton({ sid }: { readonly sid: string }): ReactNode {
  const download = useMutation({ mutationFn: () => saveExport(sid) });
  return (
    <>
      {download.error !== null && <Notice tone="refused" title={reasonOf(download.error)} />}
      {download.data?.isSealed === false && (
        <Notice tone="waits" title="The exported file has no seal">
          The session can't be authenticated, or something is missing from it, so no server will continue it
          from this file. See what is wrong with: workflowlookup sessions verify {sid}
        </Notice>
      )}
      <button
        type="button"
        className="button"
        disabled={download.isPending}
        onClick={() => download.mutate()}
      >
        <Download size={16} aria-hidden />
        Export
      </button>
    </>
  );
}

async function saveExport(sid: string): Promise<{ readonly isSealed: boolean }> {
  const response = await send(`/runs/${encodeURIComponent(sid)}/export`, {});
  const lines = await response.blob();
  const address = URL.createObjectURL(lines);
  const link = document.createElement('a');
  link.href = address;
  link.download = `${sid}.jsonl`;
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return { isSealed: await hasSeal(lines) };
}

/** Whether the last line, which is a short one, has the seal of the others. */
async function hasSeal(lines: Blob): Promise<boolean> {
  const [last = '{}'] = (await lines.slice(-2_000).text()).trimEnd().split('\n').slice(-1);
  return 'seal' in (JSON.parse(last) as object);
}
