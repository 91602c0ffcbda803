import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createAuditLog, openAuditSink } from '../src/audit.ts';

let isFull = false;

// A full disk writes only the part that still fits, and reports no error.
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>();
  const writeSync = (file: number, bytes: Buffer): number =>
    fs.writeSync(file, isFull ? bytes.subarray(0, 10) : bytes);
  return { ...fs, writeSync };
});

test('An entry that a full disk truncates counts as lost, until there is space', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workflowlookup-audit-'));
  const changes: object[] = [];
  const sink = openAuditSink(join(folder, 'audit.jsonl'));
  const audit = createAuditLog({ sinks: [sink], onChange: (change) => changes.push(change) });
  for (const full of [false, true, true, false]) {
    isFull = full;
    audit.record({ action: 'sign-in', outcome: 'done' });
    expect(audit.isFailing()).toBe(full);
  }
  expect(changes).toEqual([
    { isFailing: true, lost: 1, error: expect.any(Error) },
    { isFailing: false, lost: 2 },
  ]);
  sink.reopen?.();
  rmSync(folder, { recursive: true });
});
