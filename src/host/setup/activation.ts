import { join } from 'node:path';
import { writeAtomically } from '../../fs/atomic-write.js';
import { readKept } from '../kept-file.js';

/** What is written when a plugin was activated. */
interface Activated {
  /** Null for a plugin without one. */
  readonly version: string | null;
}

/**
 * Runs `activate` if the version was not activated yet; the caller keeps other receivers away. Success is noted, so that an
 * interrupted activation runs again.
 *
 * @param folder the plugin's own, in the state folder.
 */
export async function activateOnce(
  folder: string,
  version: string | undefined,
  activate: (context: { readonly previous: string | undefined }) => unknown,
): Promise<void> {
  const path = join(folder, 'activated.json');
  const last = readKept<Activated | undefined>(path, undefined, 'the plugin is activated anew');
  const now: Activated = { version: version ?? null };
  if (last?.version === now.version) return;
  await activate({ previous: last?.version ?? undefined });
  await writeAtomically(path, `${JSON.stringify(now)}\n`);
}
