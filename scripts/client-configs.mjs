// How each client is told of a server: the blocks of `workflowlookup connect`.
export { clientConfigs } from '../apps/cli/dist/client-configs.js';
