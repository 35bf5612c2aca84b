/** Where one workspace lives on this machine; every operation gets one and touches nothing outside it. */
export interface Place {
  readonly mode: 'host' | 'sandbox';
  /** Real absolute path of the work tree. */
  readonly directory: string;
  /** The supervisor's own folder for this workspace: outside the work tree, mode 0700. */
  readonly stateDirectory: string;
  /** The whole environment of git processes: PATH, HOME, locale; nothing of the launcher's. */
  readonly gitEnv: Readonly<Record<string, string>>;
}
