// In a module of its own, so that it is loaded with the first TOON text and keeps its names however it is bundled.
export { decodeStreamSync, encode, ToonDecodeError } from '@toon-format/toon';
