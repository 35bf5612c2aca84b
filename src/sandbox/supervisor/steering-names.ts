/**
 * Variables by which whoever sets them chooses what code a program runs: where it is found, and what the loader and the C
 * library add to it. Outside of a confinement they would do so with files that the confined agent wrote, for the start is
 * in the workspace's folder. (The outer bash runs with `-p`, which takes none of its own from the environment.)
 */
export const isSteering = (name: string): boolean =>
  /^(?:PATH$|LD_|GLIBC_|GCONV_PATH$|LOCPATH$|NLSPATH$|MALLOC_)/.test(name);
