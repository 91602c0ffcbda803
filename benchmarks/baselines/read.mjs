// The baseline for loading definitions: reads and parses every JSON file of a folder, 32 at a time, and prints their
// number.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const [directory] = process.argv.slice(2);
const names = (await readdir(directory)).values();
let count = 0;
await Promise.all(
  Array.from({ length: 32 }, async () => {
    for (const name of names) {
      const { id } = JSON.parse(await readFile(join(directory, name), 'utf8'));
      if (typeof id === 'string') count += 1;
    }
  }),
);
console.log(count);
