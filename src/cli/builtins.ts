/**
 * Node's own modules, taken without `import`: that reads every lazy member of a module, streams, web crypto and Blob
 * included, and costs more start-up time than all of our code.
 */
export const { parseArgs } = process.getBuiltinModule('node:util');
export const { isUtf8 } = process.getBuiltinModule('node:buffer');
export const fs = process.getBuiltinModule('node:fs');

/** Loads the crypto module with the first call. */
export const sha256 = (text: string): string => process.getBuiltinModule('node:crypto').hash('sha256', text);
