import { late } from './late.ts';

/** A value as TOON. */
export async function toToon(value: object): Promise<string> {
  return (await late()).toToon(value);
}

/** Texts with a line `---` between them; empty ones are left out. */
export async function joinSections(...sections: readonly string[]): Promise<string> {
  return (await late()).joinSections(...sections);
}
