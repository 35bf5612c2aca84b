/** What test/workers/setup.ts hands to the tests in workerd. */
import 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    sandboxHostUrl: string;
    sandboxHostToken: string;
    containerEngineUrl: string;
    gitControlUrl: string;
    workspaceRoot: string;
  }
}
