// In a module of its own, so that it is loaded with the first YAML text and keeps its names however it is bundled.
export { Composer, isAlias, isMap, isNode, isScalar, isSeq, Lexer, Parser } from 'yaml';
