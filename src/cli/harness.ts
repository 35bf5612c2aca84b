#!/usr/bin/env node
/** The executable: the real machine, and the exit code. What it imports late comes out of Node's compile cache. */
import { refuseOldNode } from './node-version.ts';

// Before the other imports: an older Node fails at the first of them.
refuseOldNode();
process.getBuiltinModule('node:module').enableCompileCache();
const [{ runHarness }, { nodeIo }] = await Promise.all([import('./main.ts'), import('./node-io.ts')]);
process.exitCode = await runHarness(process.argv.slice(2), nodeIo());
