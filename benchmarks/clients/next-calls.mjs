import { measureCalls } from './call-rounds.mjs';
import { echo, nextDirect, nextOverTools } from './callees.mjs';
import { withFolders } from '../servers/two-sizes.mjs';

/** Times and processor times of `workflow_next` with 10 and with 10,000 workflows, as a direct method, and of the echo. */
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
