const MIN_MAJOR = 22;

export function refuseOldNode(): void {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= MIN_MAJOR) return;
  console.error(`error: harness needs Node ${MIN_MAJOR} or newer; this is Node ${node}`);
  process.exit(1);
}
