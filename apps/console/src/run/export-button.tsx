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

async function saveExport(sid: string): Promise<void> {
  const response = await send(`/runs/${encodeURIComponent(sid)}/export`, {});
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = `${sid}.jsonl`;
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
