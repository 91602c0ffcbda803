/**
 * Returns the texts in a reply of `workflow_next` that the author wrote. The longest comes first, so that a text that
 * contains another one is removed as a whole. The texts of the step come from the reply, which has filled in variables.
 *
 * @param {Record<string, any>} definition
 * @param {Record<string, any>} reply
 * @param {boolean} isFirst whether the workflow's opening texts belong to it
 * @returns {string[]}
 */
export function authoredTexts(definition, reply, isFirst) {
  const { agentRole, guidance = [], prompt } = reply.step;
  const { metaGuidance = [], preconditions = [], clarificationPrompts = [] } = definition;
  const opening = isFirst ? [...metaGuidance, ...preconditions, ...clarificationPrompts] : [];
  return [...opening, agentRole, ...guidance, prompt]
    .filter((text) => text !== undefined)
    .toSorted((a, b) => b.length - a.length);
}
