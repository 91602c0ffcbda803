import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { sendRequest } from '../api/client.ts';
import { commonMessages } from '../messages/common.ts';
import { Button } from './controls.tsx';
import { ErrorNotice } from './notice.tsx';

const { download: messages } = commonMessages;

/** Renders a button that downloads a file. A plain link to the server would not send the sign-in token. */
export function DownloadButton({
  path,
  nameOf,
  warning,
  children,
}: {
  readonly path: string;
  /** Returns the name of the file. */
  readonly nameOf: () => string;
  /** Says what is wrong with the content, if anything. */
  readonly warning?: (content: Blob) => Promise<ReactNode>;
  readonly children: ReactNode;
}): ReactNode {
  const download = useMutation({
    mutationFn: async () => {
      const content = await (await sendRequest(path, {})).blob();
      const name = nameOf();
      saveFile(name, content);
      return { name, warning: await warning?.(content) };
    },
  });
  return (
    <>
      <ErrorNotice title={messages.failed} error={download.error} />
      {download.data?.warning}
      {download.data !== undefined && (
        <span className="small muted" role="status">
          {messages.saved(download.data.name)}
        </span>
      )}
      <Button icon={Download} disabled={download.isPending} onClick={() => download.mutate()}>
        {children}
      </Button>
    </>
  );
}

function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Wait for the browser to start the download before freeing the URL.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
