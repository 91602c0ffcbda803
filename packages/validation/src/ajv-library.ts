// A module of its own, so that Ajv is loaded only with the first JSON Schema and bundlers keep the names it exports.
import formats from 'ajv-formats';

export { _, Ajv } from 'ajv';
export { Ajv2019 } from 'ajv/dist/2019.js';
export { Ajv2020 } from 'ajv/dist/2020.js';

/** Adds the formats that JSON Schema defines. */
export const addFormats = formats.default;
