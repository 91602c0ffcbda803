// A module of its own, so that the library is loaded only with the first YAML text and bundlers keep the names it exports.
export { Composer, isAlias, isMap, isNode, isScalar, isSeq, Lexer, Parser } from 'yaml';
