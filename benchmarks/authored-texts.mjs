/**
 * The author's own texts in one reply of `workflow_next`, longest first, so that a text which contains another is taken
 * away whole. The step's texts come from the reply, where its variables are filled in already.
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
