import type { Tool } from './tool.ts';
import { workflowGet } from './workflow-get.ts';
import { workflowList } from './workflow-list.ts';
import { workflowNext } from './workflow-next.ts';
import { workflowValidateJson } from './workflow-validate-json.ts';
import { workflowValidate } from './workflow-validate.ts';

/** Every tool, in the order `tools/list` shows them. */
export const tools: readonly Tool[] = [
  workflowList,
  workflowGet,
  workflowNext,
  workflowValidate,
  workflowValidateJson,
];
