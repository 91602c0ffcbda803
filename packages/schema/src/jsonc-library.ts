// In a module of its own, so that it is loaded only to say where something is and keeps its names however it is bundled.
export { createScanner, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
