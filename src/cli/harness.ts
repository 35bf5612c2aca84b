#!/usr/bin/env node
/** The executable: the real machine, and the exit code. */
import process from 'node:process';
import { runHarness } from './main.ts';
import { nodeIo } from './node-io.ts';

process.exitCode = await runHarness(process.argv.slice(2), nodeIo(process));
