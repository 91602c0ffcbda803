import { measureCalls } from './call-rounds.mjs';
import { echo, nextDirect, nextOverTools } from './callees.mjs';
import { withFolders } from '../servers/two-sizes.mjs';

/** Measures `workflow_next` with 10 and with 10,000 workflows, the same call as a direct method, and the echo tool. */
export function measureNext(bench, name, plan) {
  return withFolders(bench, name, ({ few, many, baseline }) =>
    measureCalls(
      {
        few: nextOverTools(few, 10),
        echo: echo(baseline),
        many: nextOverTools(many, 10_000),
        direct: nextDirect(few, 10),
      },
      plan,
    ),
  );
}
