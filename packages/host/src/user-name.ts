import { userInfo } from 'node:os';

/** The name of the user of this process; where the system knows none, as in many containers, their number. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // It has no entry for this user.
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
