/** The contract's Worker with the SDK itself: real containers. */
export { ContainerProxy, Directory, LimitedSandbox, Project, Sandbox, Workspace } from '../../src/worker.ts';
export { contractHandler as default } from './contract-handler.ts';
