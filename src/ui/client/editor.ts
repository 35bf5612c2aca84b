/** The text editor, loaded when a page needs one: CodeMirror with our colours and the faults that the service finds. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { markdown } from '@codemirror/lang-markdown';
import { yaml, yamlFrontmatter } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic as Mark, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Diagnostic } from './api.ts';
import { pageData } from './dom.ts';

export type Language = 'workflow' | 'json' | 'markdown' | 'yaml' | 'plain';

export interface Editor {
  text(): string;
  setText(text: string): void;
  mark(diagnostics: readonly Diagnostic[]): void;
  /** Lines and columns count from 1. */
  goTo(line: number, column: number): void;
  focus(): void;
}

interface Options {
  parent: HTMLElement;
  text: string;
  language: Language;
  label: string;
  isReadOnly?: boolean;
  /** By a person, not by `setText`. */
  onEdit?: () => void;
  onSave?: () => void;
}

export function createEditor(options: Options): Editor {
  let isOurs = false;
  const view = new EditorView({ parent: options.parent, state: buildState(options, () => isOurs) });
  return {
    text: () => view.state.doc.toString(),
    setText: (text) => {
      isOurs = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      isOurs = false;
    },
    mark: (diagnostics) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          diagnostics.flatMap((one) => asMark(one, view.state.doc)),
        ),
      ),
    goTo: (line, column) => {
      view.dispatch({ selection: { anchor: offsetOf(view.state.doc, line, column) }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
  };
}

function buildState(
  { text, language, label, isReadOnly, onEdit, onSave }: Options,
  isOurs: () => boolean,
): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      EditorView.cspNonce.of(pageData('nonce')),
      lineNumbers(),
      lintGutter(),
      history(),
      drawSelection(),
      indentOnInput(),
      indentUnit.of('  '),
      bracketMatching(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSelectionMatches(),
      syntaxHighlighting(COLORS),
      THEME,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorState.readOnly.of(isReadOnly ?? false),
      keymap.of([
        { key: 'Mod-s', preventDefault: true, run: () => (onSave?.(), true) },
        ...defaultKeymap,
        ...historyKeymap,
        ...searchKeymap,
        ...lintKeymap,
      ]),
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged && !isOurs()) onEdit?.();
      }),
      ...languageOf(language),
    ],
  });
}

function languageOf(language: Language): Extension[] {
  switch (language) {
    case 'workflow':
      return [yamlFrontmatter({ content: markdown() })];
    case 'json':
      return [json()];
    case 'markdown':
      return [markdown()];
    case 'yaml':
      return [yaml()];
    case 'plain':
      return [];
  }
}

export function languageOfFile(name: string): Language {
  if (/(^|\/)WORKFLOW\.md$/.test(name)) return 'workflow';
  if (/\.(json|jsonc)$/.test(name)) return 'json';
  if (/\.(md|markdown)$/.test(name)) return 'markdown';
  return /\.ya?ml$/.test(name) ? 'yaml' : 'plain';
}

function asMark({ severity, message, line, column }: Diagnostic, doc: Text): Mark[] {
  if (line === undefined) return [];
  const from = offsetOf(doc, line, column ?? 1);
  const end = doc.lineAt(from).to;
  const word = /^[\w$./-]+/.exec(doc.sliceString(from, end))?.[0].length ?? 1;
  return [{ from, to: Math.min(end, from + word), severity, message }];
}

function offsetOf(doc: Text, line: number, column: number): number {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(found.from + Math.max(column, 1) - 1, found.to);
}

const COLORS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--busy)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.atom], color: 'var(--warn)' },
  { tag: [tags.comment, tags.meta, tags.separator, tags.punctuation], color: 'var(--soft)' },
  { tag: tags.heading, color: 'var(--busy)', fontWeight: '700' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.link, color: 'var(--accent)' },
]);

const THEME = EditorView.theme({
  '&': { color: 'var(--text)', fontSize: '0.86rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', maxHeight: '60vh', minHeight: '12rem' },
  '.cm-content, .cm-gutter': { minHeight: '12rem' },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--soft)', border: '0' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 12%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent) !important',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--card)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
  },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
});
