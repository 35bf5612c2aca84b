/** The shell text around a script. Pure: the script is an argument or a file, never quoted into other shell text. */

/** A longer script cannot be an argument: Linux limits one to 128 KiB. */
const MAX_ARGUMENT_BYTES = 100_000;

export const isLongScript = (script: string): boolean => Buffer.byteLength(script) > MAX_ARGUMENT_BYTES;

/** What follows `bash -lc`: the text, `$0`, and for a long script its file. */
export function buildBashArguments(script: string, unset: readonly string[], scriptFile: string): string[] {
  const preamble = buildUnset(unset);
  if (!isLongScript(script)) return [preamble + script, 'bash'];
  return [`${preamble}eval "shift; $(<"$1")"`, 'bash', scriptFile];
}

/**
 * Runs after the login profile and before the script, on the script's first line, so that line numbers in its messages
 * stay true. Only shell names can have been exported by a profile.
 */
function buildUnset(names: readonly string[]): string {
  const exported = names.filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  return exported.length === 0 ? '' : `unset -v ${exported.join(' ')} 2>/dev/null || :; `;
}

/**
 * The process between the supervisor and a script. It outlives the supervisor, waits for the script, and writes down how
 * it ended. Arguments: the operation's folder, then the command. Descriptors: 0 hears from the supervisor, 1 tells it,
 * 2 is the wrapper's log, 3 and 4 are the script's stdout and stderr.
 *
 * - `set -m` and a background job: bash then reports in the log whether a status such as 137 was an exit or a signal, and
 *   the script gets a process group of its own, so that TERM to the group spares the wrapper.
 * - The wrapper ignores signals by a trap, which is reset before the script's bash starts.
 * - `wait` also returns when the job stops, so it is asked again while the process is there. `wait -f` would not, but in
 *   bash 5.2 it sometimes loops for ever over a job that has ended ("wait_for: No record of process").
 * - At the end it waits for `done`: until then it holds the pipes open, with what is unread in them. When the supervisor
 *   is gone it goes on holding them as a `sleep` of the same pid, until the next supervisor has read them and ends it.
 */
export const WRAPPER = `
trap '' HUP INT QUIT TERM PIPE
umask 022
folder=$1
shift
stat=
[ -r "/proc/$$/stat" ] && read -r stat <"/proc/$$/stat"
# The level that the script's own bash counts up from.
unset SHLVL
set -m
( trap - HUP INT QUIT TERM PIPE; exec "$@" </dev/null >&3 2>&4 3>&- 4>&- ) &
child=$!
echo "$child $$ $stat" >"$folder/process"
while :; do
  wait "$child"
  code=$?
  kill -0 "$child" 2>/dev/null || break
  sleep 0.1
done
# The loop may have heard of a stop just before the end; asked again, bash answers the end, or 127 where it forgot.
wait "$child" 2>/dev/null
again=$?
[ "$again" -eq 127 ] || code=$again
echo "$code" >"$folder/exit"
echo "$code"
read -r answer || exec sleep 3600
`;
