// In a module of its own, so that it is loaded with the first JSON Schema and keeps its names however it is bundled.
import formats from 'ajv-formats';

export { _, Ajv } from 'ajv';
export { Ajv2019 } from 'ajv/dist/2019.js';
export { Ajv2020 } from 'ajv/dist/2020.js';

/** Adds the formats that JSON Schema names. */
export const addFormats = formats.default;
