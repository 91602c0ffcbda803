import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** Returns the reason why benchmarks that read /proc can't run on this system, or `undefined` if they can. */
export function whyNoProc() {
  return existsSync('/proc/self/stat') ? undefined : 'needs /proc, which this system does not have';
}

/** Returns the resident memory of a process in bytes. */
export function residentBytes(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Returns the processor time of a process, user and system, in milliseconds. Its resolution is 10 ms on Linux. */
export function cpuMs(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which may contain spaces. Fields 14 and 15 are utime and stime.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond();
}

/** Returns the files in a folder that a process has open or mapped. */
export function filesInUse(pid, folder) {
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  const mapped = readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .map((line) => line.slice(line.indexOf('/')));
  return [...new Set([...open, ...mapped])].filter((file) => file.startsWith(`${folder}/`));
}

/** Returns the target of a link, or an empty text if the file was closed in the meantime. */
function linkOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

let ticks;

function ticksPerSecond() {
  return (ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })));
}
