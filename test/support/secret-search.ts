/** Looks for secrets, in every form that they may take, in whatever bytes there are. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export type Haystacks = Map<string, Buffer>;

/** `place: name (form)` of everything that was found. */
export function findSecrets(secrets: Readonly<Record<string, string>>, haystacks: Haystacks): string[] {
  const needles = Object.entries(secrets).flatMap(([name, value]) =>
    Object.entries(formsOf(value)).map(([form, bytes]) => ({ what: `${name} (${form})`, bytes })),
  );
  return [...haystacks].flatMap(([place, bytes]) =>
    needles.filter((needle) => bytes.includes(needle.bytes)).map(({ what }) => `${place}: ${what}`),
  );
}

/** All files below a folder. */
export function readTree(folder: string, name: string): Haystacks {
  const found: Haystacks = new Map();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    try {
      found.set(`${name}${path.slice(folder.length)}`, readFileSync(path));
    } catch {
      // Gone meanwhile.
    }
  }
  return found;
}

/** The characters of base64 that depend on the neighbours are left out, so that it is found inside longer text, too. */
function formsOf(value: string): Record<string, Buffer> {
  const bytes = Buffer.from(value);
  const shifted = (shift: number): Buffer => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    return Buffer.from(text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6)));
  };
  return {
    plain: bytes,
    'UTF-16': Buffer.from(value, 'utf16le'),
    URL: Buffer.from(encodeURIComponent(value)),
    JSON: Buffer.from(JSON.stringify(value).slice(1, -1)),
    base64: shifted(0),
    'base64, shifted by 1': shifted(1),
    'base64, shifted by 2': shifted(2),
    base64url: Buffer.from(bytes.toString('base64url')),
    'first half': bytes.subarray(0, Math.floor(bytes.length / 2) + 4),
  };
}
