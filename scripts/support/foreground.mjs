// Runs a command in the foreground with access to the terminal. A signal that ends this process ends the command first.
import { spawn } from 'node:child_process';

/**
 * Starts a command. The options are those of `spawn`.
 *
 * @returns {{ child: import('node:child_process').ChildProcess, ended: Promise<number> }} `ended` has the exit code
 */
export function foreground([command, ...args], options = {}) {
  const shell = process.platform === 'win32' && command !== 'node';
  const program = command === 'node' ? process.execPath : command;
  const child = spawn(program, args, { stdio: 'inherit', shell, ...options });
  const pass = (signal) => child.kill(signal);
  // The terminal sends Ctrl-C to the command too, so this process only waits until the command has ended.
  const wait = () => undefined;
  process.on('SIGTERM', pass).on('SIGINT', wait);
  const ended = new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  }).finally(() => {
    process.off('SIGTERM', pass).off('SIGINT', wait);
  });
  return { child, ended };
}
