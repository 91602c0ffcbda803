/** What rows of the table use of other packages: loaded with the first call, since a start needs the rows and none of it. */
export const late = (): Promise<typeof import('./late-parts.ts')> => import('./late-parts.ts');
