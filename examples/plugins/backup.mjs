// Each night, a copy of the whole repository as one file; the last ten are kept. In the config:
//   plugins: [['./tools/backup.mjs', { folder: '/srv/backups/my-site' }]]
// Back to a repository: git clone <file> my-site
import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { definePlugin } from 'pressmark';

const git = promisify(execFile);
const KEPT = 10;

export default definePlugin({
  name: 'backup',
  version: '1.0.0',
  options: {
    '~standard': {
      version: 1,
      vendor: 'backup',
      validate: ({ folder, at = '0 3 * * *' }) =>
        typeof folder === 'string' && isAbsolute(folder)
          ? { value: { folder, at } }
          : { issues: [{ message: 'name an absolute path outside of the site', path: ['folder'] }] },
    },
  },
  receiver(host) {
    const { folder, at } = host.options;

    host.cron('bundle', {
      at,
      timeoutMs: 3_600_000,
      async run({ signal, log }) {
        const work = join(folder, 'unfinished');
        await rm(work, { recursive: true, force: true }); // a run that was killed has left a lock of git there
        await mkdir(work, { recursive: true });
        const name = `${new Date().toISOString().replaceAll(':', '-')}.bundle`;
        const unfinished = join(work, name);
        await git('git', ['bundle', 'create', '--quiet', unfinished, '--all'], {
          cwd: host.paths.site,
          signal,
        });
        await rename(unfinished, join(folder, name));
        await rm(work, { recursive: true });
        const names = (await readdir(folder)).filter((file) => file.endsWith('.bundle')).sort();
        for (const old of names.slice(0, -KEPT)) await rm(join(folder, old));
        log.info({ file: name }, 'the repository is backed up');
      },
    });
  },
});
