/** Plain git as a sandbox runs it, with its failures as values. */
import { execFile } from 'node:child_process';
import { gitEnvironment } from './git-server.ts';

export interface GitRun {
  code: number;
  /** Both outputs. */
  text: string;
}

/** Never asks for a password: a question would show as a failure with "terminal prompts disabled". */
export const runGit = (cwd: string, ...args: string[]): Promise<GitRun> =>
  new Promise((resolve) => {
    const options = {
      cwd,
      env: { ...gitEnvironment(), GIT_TERMINAL_PROMPT: '0' },
      maxBuffer: 64 * 1024 * 1024,
    };
    execFile('git', args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, text: `${stdout}${stderr}` });
    });
  });
