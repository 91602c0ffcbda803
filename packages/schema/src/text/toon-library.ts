// A module of its own, so that the library is loaded only with the first TOON text and bundlers keep the names it exports.
export { decodeStreamSync, encode, ToonDecodeError } from '@toon-format/toon';
