/** Diagnostics of the command line: those of the projection, and those about files on disk. */
import type { Diagnostic } from '../core/failure.ts';
import type { DiagnosticCode, DiagnosticRule } from '../core/projection/diagnostic-table.ts';
import type { Provider } from '../core/projection/events.ts';

const error = (cause: string, fix: string): DiagnosticRule => ({ severity: 'error', cause, fix });
const warning = (cause: string, fix: string): DiagnosticRule => ({ severity: 'warning', cause, fix });

const CLI_DIAGNOSTICS = {
  USAGE: error('The command line is not understood', 'Run harness --help.'),
  FILE_ERROR: error('A file cannot be read or written', 'Correct its rights or what lies in its place.'),
  MANIFEST_MISSING: error('There is no .harness/manifest.json here or above', 'Run harness init.'),
  MANIFEST_INVALID: error(
    '.harness/manifest.json is not valid',
    'Correct it, or restore it from version control.',
  ),
  MANIFEST_EXISTS: error('The repository has a manifest already', 'Change it with harness provider.'),
  MANAGED_INDEX_INVALID: error(
    '.harness/managed-index.json is not valid',
    'Restore it from version control. Without it, harness treats what it wrote as somebody else’s.',
  ),
  HOOK_REGISTERED: error(
    'A hook with this id is registered already',
    'Choose another id, or edit its source.',
  ),
  HOOK_NOT_REGISTERED: error('No hook with this id is registered', 'See .harness/manifest.json for the ids.'),
  OUTPUT_COLLISION_UNMANAGED: error(
    'Something that harness did not write stands where its output would go',
    'Move it away, or give the hook another targetPath.',
  ),
  OUTPUT_PATH_LINK: error(
    'A symbolic link lies on the path of an output',
    'Replace the link by a real file or folder: harness does not write through links.',
  ),
  TARGET_INVALID: error(
    'A file that people own cannot be parsed, so nothing can be merged into it',
    'Correct the file; it was left untouched.',
  ),
  OUTPUT_SCHEMA_INVALID: error(
    'With the merged result the agent would reject its whole configuration file',
    'Correct the entry that the message names; the file was left untouched.',
  ),
  REPOSITORY_BUSY: error(
    'Another harness command is at work in the repository',
    'Wait for it; if there is none, delete .harness/lock.',
  ),
  HOOK_SOURCE_MISSING: warning(
    'A registered hook has no source file, so what it wrote is taken out',
    'Restore the source, or run harness remove hook.',
  ),
  HOOK_SOURCE_UNREGISTERED: warning(
    'A source file is not registered, so it is not applied',
    'Run harness add hook to register it, or delete the file.',
  ),
  HOOK_OVERRIDE_ORPHANED: warning(
    'An override file belongs to no registered hook',
    'Rename it to <hook-id>.overrides.<provider>.yaml, or delete it.',
  ),
  HOOK_SCRIPT_MISSING: warning(
    'A command names a script that does not exist',
    'Add the script: Copilot denies every tool call when a pre_tool_use script is missing.',
  ),
  OUTPUT_DRIFT: warning(
    'A file or entry that harness wrote was changed by somebody else',
    'Change the hook’s source instead.',
  ),
  OUTPUT_LEFT: warning(
    'A file that is no longer needed was changed by somebody else, so it is left in place',
    'Delete it by hand if you do not want it.',
  ),
  APPLY_INTERRUPTED: warning('The last apply was interrupted', 'Run harness apply: it finishes the work.'),
  TARGET_COMMENTS: warning(
    'settings.json holds comments, and Claude Code ignores such a file',
    'Remove the comments.',
  ),
  TARGET_HOOKS_DISABLED: warning(
    'The file switches all hooks off (disableAllHooks)',
    'Remove that setting if hooks are meant to run.',
  ),
} as const satisfies Record<string, DiagnosticRule>;

export type CliCode = keyof typeof CLI_DIAGNOSTICS;

export interface CliDiagnostic extends Diagnostic {
  code: CliCode | DiagnosticCode | (string & {});
  entityId?: string;
  provider?: Provider;
}

type Where = Partial<Pick<CliDiagnostic, 'path' | 'line' | 'column' | 'entityId' | 'provider'>>;

export const diagnose = (code: CliCode, message: string, where: Where = {}): CliDiagnostic => ({
  code,
  severity: CLI_DIAGNOSTICS[code].severity,
  message,
  ...where,
});

export const hasErrors = (diagnostics: readonly CliDiagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error');
