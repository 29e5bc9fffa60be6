import fs from 'node:fs';
import { join } from 'node:path';
import { article } from '../../support/events.js';
import { onLinux } from '../../support/full-disk.js';
import { runHere } from '../../support/in-process.js';
import { startReceiver } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** A file that can be opened, and each read of it fails with EIO. Only Linux has it. */
const EVERY_READ_FAILS = '/proc/self/mem';

onLinux(
  '200: a receiver starts, stores and builds beside an article whose file is on a bad block',
  async (t) => {
    const dir = tempDir(t);
    const folder = join(dir, 'content/articles');
    fs.mkdirSync(folder, { recursive: true });
    fs.symlinkSync(EVERY_READ_FAILS, join(folder, 'rotten.md'));
    const receiver = await startReceiver(t, { dir, config: { site: { search: false }, git: false } });
    t.like(
      receiver.log.find(({ path }) => path === 'articles/rotten.md'),
      { level: 40, reason: 'EIO: i/o error' },
    );
    const data = article();
    const { status, json } = await receiver.post('article.published', data);
    t.is(status, 200);
    t.is((await receiver.find(json.url)).id, data.id);
    await until('the page is built', async () => {
      const page = await fetch(`${receiver.origin}${new URL(json.url).pathname}`);
      return page.ok;
    });
    const doctor = await runHere(['doctor', '--dir', dir, '--json'], { PRESSMARK_SECRET: SECRET });
    t.regex(doctor.stdout, /articles\/rotten\.md cannot be read: EIO: i\/o error/);
  },
);
