import fs from 'node:fs';
import { join } from 'node:path';
import { gitIn } from './clones.js';

const SCRIPT = `#!/bin/sh
cat > /dev/null
echo '[GNUPG:] SIG_CREATED ' >&2
echo '-----BEGIN PGP SIGNATURE-----'
echo "by $3"
echo '-----END PGP SIGNATURE-----'
`;

/**
 * Has git in a clone sign with a program that stands for GnuPG.
 *
 * @param folder gets the program.
 * @returns whether a commit has its signature.
 */
export function withSigner(dir: string, folder: string): (commit?: string) => boolean {
  const program = join(folder, 'signer');
  fs.writeFileSync(program, SCRIPT, { mode: 0o755 });
  gitIn(dir, 'config', 'gpg.program', program);
  gitIn(dir, 'config', 'user.signingkey', 'olga');
  return (commit = 'HEAD') =>
    /^gpgsig -----BEGIN PGP SIGNATURE-----\n by olga$/m.test(gitIn(dir, 'cat-file', 'commit', commit));
}
