/**
 * The argument vector that runs a command under bubblewrap. Pure.
 *
 * Each script has a pid, mount and ipc namespace of its own. The root is readable; writable are the workspace, at its own
 * path, and a home and a /tmp that belong to the workspace and that all of its scripts share. A daemon that `before_run`
 * leaves behind lives on in its namespace: the agent reaches its ports, for the network is shared, but does not see its
 * process. `--die-with-parent` would end it with the script, so it is not asked for; leftovers are found by their marker.
 * The status of a shell that a signal killed comes back as an exit with 128 + n: bubblewrap passes on no more.
 */
import type { Place } from './place.ts';

export interface Hideout {
  readonly home: string;
  /** Folders of other workspaces and of the supervisor: empty for the script. */
  readonly hidden: readonly string[];
  /** Read by the script although it lies in a hidden folder. */
  readonly readable: readonly string[];
}

/** Made before the first script, owned by the workspace's state. */
export const privateFolders = ({ stateDirectory }: Place): { home: string; temporary: string } => ({
  home: `${stateDirectory}/private/home`,
  temporary: `${stateDirectory}/private/tmp`,
});

/** `inside`: variables that only what runs inside may get. */
export function buildBubblewrap(
  command: readonly string[],
  place: Place,
  hideout: Hideout,
  inside: Readonly<Record<string, string>> = {},
): string[] {
  const own = privateFolders(place);
  return [
    ['bwrap', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    // Root inside is not root of the machine: without capabilities it cannot undo the mounts.
    ['--cap-drop', 'ALL'],
    ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    // Sockets there (docker's, the session bus) would lead out; a name server's configuration may lie there too.
    ['--tmpfs', '/run', '--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'],
    ...hideout.hidden.map((folder) => ['--tmpfs', folder]),
    ['--bind', own.temporary, '/tmp', '--bind', own.home, hideout.home],
    // Last, for it lies in one of the hidden folders.
    ['--bind', place.directory, place.directory],
    ...hideout.readable.map((file) => ['--ro-bind', file, file]),
    ...Object.entries(inside).map(([name, value]) => ['--setenv', name, value]),
    ['--chdir', place.directory, '--', ...command],
  ].flat();
}
