/** The Worker under test: as deployed, but for the sandboxes, which run without Docker. */
export { Directory } from '../../durable-objects/directory.ts';
export { Project } from '../../durable-objects/project.ts';
export { Workspace } from '../../durable-objects/workspace.ts';
export { default } from '../../src/worker.ts';
export { LimitedSandbox, Sandbox } from './sandbox-double.ts';
