/** The contract's Worker with the SDK's double. */
export { Directory, LimitedSandbox, Project, Sandbox, Workspace } from './main.ts';
export { contractHandler as default } from './contract-handler.ts';
