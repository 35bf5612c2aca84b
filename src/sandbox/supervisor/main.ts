/** The supervisor's entry: reads how it was started, resumes, listens, and says on stdout where. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMachine } from './base-environment.ts';
import { HostSupervisor } from './host-supervisor.ts';
import { openLog } from './log.ts';
import { parseOptions, USAGE, type Options } from './options.ts';
import { SandboxSupervisor } from './sandbox-supervisor.ts';
import { listen } from './server.ts';

const parsed = parseOptions(process.argv.slice(2), process.env, (path) => readFileSync(path, 'utf8'));
if (parsed.ok) {
  await run(parsed.value);
} else {
  process.stderr.write(`${parsed.error}\n${USAGE}\n`);
  process.exitCode = 2;
}

async function run(options: Options): Promise<void> {
  // Its own token must not be found in its environment by what it starts: /proc shows the one it was started with.
  delete process.env['EDGE_HARNESS_SUPERVISOR_TOKEN'];
  // What git makes in a workspace is for the person too; our own folders carry their modes.
  process.umask(0o022);
  mkdirSync(options.stateDirectory, { recursive: true, mode: 0o700 });
  const machine = readMachine(process.env);
  const log = openLog(join(options.stateDirectory, 'supervisor.log'));
  const supervisor =
    options.mode === 'host' ? new HostSupervisor(options, machine) : new SandboxSupervisor(options, machine);
  await supervisor.resume();
  const token = options.mode === 'host' ? options.token : null;
  const { server, port } = await listen({ supervisor, token, machine, log }, options.port, options.listen);

  const shutdown = async (reason: string): Promise<void> => {
    log('shutdown', { reason });
    server.close();
    await supervisor.shutdown();
    process.exit(0);
  };
  process.once('SIGTERM', () => void shutdown('SIGTERM'));
  process.once('SIGINT', () => void shutdown('SIGINT'));
  if (options.watchStdin) process.stdin.resume().once('end', () => void shutdown('stdin'));
  process.on('uncaughtException', (error) => log('failure', { error: error.stack }));
  process.on('unhandledRejection', (error) => log('failure', { error: String(error) }));

  log('listening', { mode: options.mode, port });
  process.stdout.write(`${JSON.stringify({ port, mode: options.mode, pid: process.pid })}\n`);
}
