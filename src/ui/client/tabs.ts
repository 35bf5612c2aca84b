/** The tabs of a workspace's page, as the address's `#` names them; files and terminal are loaded when they are opened. */
import type { WorkspaceDetail } from '../../core/api.ts';
import { byId } from './dom.ts';
import { loadPart } from './load-part.ts';
import { attempt } from './toast.ts';

export interface TabSetting {
  path: string;
  workspace: () => WorkspaceDetail | null;
}

export function startTabs(setting: TabSetting): void {
  const tabs = [...document.querySelectorAll<HTMLElement>('[role=tab]')];
  const opened = new Set(['activity']);
  const show = (name: string) => {
    for (const tab of tabs) {
      const isShown = tab.dataset['tab'] === name;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      byId(`panel-${tab.dataset['tab']}`).hidden = !isShown;
    }
    if (opened.has(name)) return;
    opened.add(name);
    void openOnce(name);
  };
  const openOnce = async (name: string) => {
    if ((await attempt(() => open(name, setting))) === null) opened.delete(name);
  };
  const fromAddress = () => {
    const name = location.hash.slice(1);
    show(tabs.some((tab) => tab.dataset['tab'] === name) ? name : 'activity');
  };
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => history.replaceState(null, '', `#${tab.dataset['tab']}`));
    tab.addEventListener('click', fromAddress);
    tab.addEventListener('keydown', ({ key }) => {
      const by = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      if (by === 0) return;
      const next = tabs[(index + by + tabs.length) % tabs.length];
      next?.focus();
      next?.click();
    });
  }
  addEventListener('hashchange', fromAddress);
  fromAddress();
}

async function open(name: string, setting: TabSetting): Promise<true> {
  const panel = byId(`panel-${name}`);
  if (name === 'files') await (await loadPart(() => import('./files.ts'))).openFiles(panel, setting.path);
  if (name === 'terminal') await (await loadPart(() => import('./terminal.ts'))).openTerminal(panel, setting);
  return true;
}
