import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ask } from '../api/ask.ts';
import type { Check, CheckRequest } from '../contract.ts';

const pauseMs = 300;

/** What the server says of a text, asked whenever the typing pauses. */
export function useCheck({ source, file, text }: CheckRequest): {
  readonly check: Check | undefined;
  /** Whether it is about the text as it is now. */
  readonly isCurrent: boolean;
} {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const query = useQuery({
    queryKey: ['check', source, file, settled],
    queryFn: ({ signal }) => ask('POST /check', { body: { source, file, text: settled }, signal }),
    placeholderData: keepPreviousData,
    enabled: file !== '',
    gcTime: 0,
  });
  return { check: query.data, isCurrent: settled === text && !query.isPlaceholderData && query.isSuccess };
}
