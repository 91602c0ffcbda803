import { readFileSync, readdirSync } from 'node:fs';

/** The variable by which the processes of a command are recognized after they left its process group. */
export const runVariable = 'WORKFLOWLOOKUP_RUN';

/** How often processes are looked for: a process may start another one while it is being looked for. */
const maxRounds = 20;

/**
 * Ends the processes of a command that left its process group. Only Linux shows the environment of processes; on other
 * systems a daemon that a command starts can stay.
 */
export function endStrays(run: string): void {
  for (let round = 0; round < maxRounds; round += 1) {
    const strays = straysOf(run);
    if (strays.length === 0) return;
    for (const pid of strays) kill(pid);
  }
}

/** Reads synchronously: the environments are in memory, and hundreds of asynchronous reads take ten times as long. */
function straysOf(run: string): readonly number[] {
  const mark = `${runVariable}=${run}`;
  return numbersOf('/proc').filter((pid) => {
    if (pid <= 1 || pid === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
    } catch {
      // The processes of other users can't be read, and some end meanwhile.
      return false;
    }
  });
}

function numbersOf(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    // Only Linux has it.
    return [];
  }
}

/** Ends a process at once, or a whole group if the number is negative. */
export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
