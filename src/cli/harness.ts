#!/usr/bin/env node
/** The executable: the real machine, and the exit code. What it imports late comes out of Node's compile cache. */
import { enableCompileCache } from './builtins.ts';

enableCompileCache();
const [{ runHarness }, { nodeIo }] = await Promise.all([import('./main.ts'), import('./node-io.ts')]);
process.exitCode = await runHarness(process.argv.slice(2), nodeIo());
