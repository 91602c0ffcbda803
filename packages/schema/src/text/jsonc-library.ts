// A module of its own, so that the library is loaded only to locate something and bundlers keep the names it exports.
export { createScanner, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
