/** Decides what a push may change: branches of one workspace, never a deletion. */
import { isRefName } from '../git.ts';
import { type Command, type CommandList, isZeroId } from './command-list.ts';

export interface AllowedRefs {
  /** `symphony/<key>` */
  branch: string;
  /** `symphony-rescue/<key>/` */
  rescuePrefix: string;
}

export interface Verdict {
  ref: string;
  reason: string;
}

const HEADS = 'refs/heads/';
const NOT_ATTEMPTED = 'not_attempted: another ref of this push is refused';

/** Empty: everything may go on. Otherwise nothing does, and every ref has its reason. */
export const refusePush = (list: CommandList, allowed: AllowedRefs): Verdict[] => {
  const seen = new Map<string, number>();
  for (const { ref } of list.commands) seen.set(ref, (seen.get(ref) ?? 0) + 1);
  const reasons = list.commands.map((command) => {
    if (list.capabilities.wantsPushOptions) return 'push_options_not_allowed: push without --push-option';
    if ((seen.get(command.ref) ?? 0) > 1) return 'duplicate_ref: the push names this ref twice';
    return refuseCommand(command, allowed);
  });
  return reasons.every((reason) => reason === null) ? [] : verdictsOf(list, reasons);
};

/** The same reason for every ref of the push. */
export const refuseAll = (list: CommandList, reason: string): Verdict[] => verdictsOf(list, [reason]);

const verdictsOf = (list: CommandList, reasons: readonly (string | null)[]): Verdict[] =>
  [...new Set(list.commands.map((command) => command.ref))].map((ref) => {
    const at = list.commands.findIndex((command) => command.ref === ref);
    return { ref, reason: reasons[reasons.length === 1 ? 0 : at] ?? NOT_ATTEMPTED };
  });

const refuseCommand = ({ newId, ref }: Command, allowed: AllowedRefs): string | null => {
  if (isZeroId(newId))
    return 'deletion_not_allowed: this address creates and updates branches, it deletes none';
  if (!isPlainRefName(ref)) return 'ref_name_not_legal: git does not accept this name';
  if (isAllowed(ref, allowed)) return null;
  return `ref_not_allowed: only ${allowed.branch} and branches below ${allowed.rescuePrefix} are accepted`;
};

/** Our own branch names are ASCII; other bytes could be another name to the remote's file system. */
const isPlainRefName = (ref: string): boolean => /^[!-~]+$/.test(ref) && isRefName(ref);

const isAllowed = (ref: string, { branch, rescuePrefix }: AllowedRefs): boolean => {
  if (branch !== '' && ref === HEADS + branch) return true;
  const prefix = HEADS + rescuePrefix;
  // Without its slash the prefix of one key would be one of other keys, too.
  return /^.+\/$/.test(rescuePrefix) && ref.startsWith(prefix) && ref.length > prefix.length;
};
