import { exactly } from '../figures/result.mjs';
import { packedSize } from '../figures/packed-size.mjs';

export const name = 'install';

const limitMegabytes = 20;

/** Measures the disk space that `npm install @workflowlookup/stdio` takes. */
export async function run() {
  const parts = packedSize('apps/stdio');
  const value = parts.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000;
  const native = parts.filter((part) => part.isNative);
  const others = parts.filter(({ isOurs }) => !isOurs);
  return [
    exactly('disk space', {
      unit: 'MB',
      value,
      bound: `≤ ${limitMegabytes} MB`,
      holds: value <= limitMegabytes,
      note: parts.map((part) => `${part.name} ${(part.bytes / 1_000_000).toFixed(2)} MB`).join(', '),
    }),
    exactly('native dependencies', {
      unit: native.length === 1 ? 'package' : 'packages',
      value: native.length,
      bound: '≤ 1',
      holds: native.length <= 1,
      note: `of ${others.length} dependencies that are not ours`,
    }),
  ];
}
