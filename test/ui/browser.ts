/** A browser for one test file: signed in or not, and every script error or blocked script counts as a failure. */
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { afterEach } from 'vitest';

const CHROMIUM = '/usr/bin/chromium';
/** A machine that is busy with everything else takes many times as long. */
const PATIENCE_MS = Number(process.env['UI_PATIENCE_MS'] ?? 40_000);

interface ViewOptions {
  width?: number;
  height?: number;
  dark?: boolean;
}

/** Those that are open, of this file. */
const pages = new Set<Page>();

// What was on the screen says more than what was waited for.
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const page of pages) console.error(`${page.url()} shows:\n${await textOf(page)}`);
});

const textOf = (page: Page): Promise<string> =>
  page
    .locator('body')
    .innerText({ timeout: 5_000 })
    .catch((thrown: unknown) => String(thrown));

export class TestBrowser {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #token: string;
  /** Errors of scripts and of the content security policy, on any page. */
  readonly faults: string[] = [];

  private constructor(browser: Browser, url: string, token: string) {
    this.#browser = browser;
    this.#url = url;
    this.#token = token;
  }

  static async start({ url, token }: { url: string; token: string }): Promise<TestBrowser> {
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox'],
      headless: true,
    });
    return new TestBrowser(browser, url, token);
  }

  async page(options: ViewOptions = {}): Promise<Page> {
    return (await this.#context(options)).newPage().then((page) => this.#watch(page));
  }

  /** On the list of projects. */
  async signedIn(options: ViewOptions = {}): Promise<Page> {
    const page = await this.page(options);
    await page.goto(`${this.#url}/sign-in`);
    await page.getByLabel('API token').fill(this.#token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${this.#url}/`);
    return page;
  }

  async #context({ width = 1280, height = 900, dark = false }: ViewOptions): Promise<BrowserContext> {
    const context = await this.#browser.newContext({
      baseURL: this.#url,
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
    });
    context.setDefaultTimeout(PATIENCE_MS);
    context.setDefaultNavigationTimeout(PATIENCE_MS);
    return context;
  }

  #watch(page: Page): Page {
    pages.add(page);
    page.once('close', () => pages.delete(page));
    page.on('pageerror', (error) => this.faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && /Content Security Policy|Uncaught/.test(message.text()))
        this.faults.push(
          `${message.location().url.slice(-60)}:${message.location().lineNumber} ${message.text()}`,
        );
    });
    page.on('dialog', (dialog) => {
      this.faults.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return page;
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

/** Waits for it; throws when it does not come. */
export async function isShown(locator: Locator): Promise<true> {
  await locator.waitFor();
  return true;
}

export async function isGone(locator: Locator): Promise<true> {
  await locator.waitFor({ state: 'detached' });
  return true;
}
