/** A native file as text, for a place where nothing else lies. */
import type { ProjectedFile } from './model.ts';
import type { NativeFile } from './native.ts';
import { escapeCommentStarts, printJson } from './print-json.ts';
import type { JsonValue } from './print-json.ts';

export const printNative = (file: NativeFile): ProjectedFile => {
  const { path, provider, format } = file;
  return { path, provider, format, content: printContent(file), entityIds: [...file.entityIds] };
};

const printContent = (file: NativeFile): string => {
  if (file.format === 'toml') return `${file.line}\n`;
  const json = printJson(rootOf(file));
  return file.provider === 'cursor' ? escapeCommentStarts(json) : json;
};

/** Copilot and Cursor ask for a version; Claude has none. */
const rootOf = ({ provider, hooks }: NativeFile & { format: 'json' }): JsonValue =>
  provider === 'claude' ? { hooks } : { version: 1, hooks };
