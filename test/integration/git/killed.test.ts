import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { filesIn, makeSite } from './site.js';

test('killed again and again: every article has its one commit after the next start', async (t) => {
  const site = await makeSite(t);
  await site.write('content/.gitkeep', '');
  await site.git('add', '.');
  await site.git('commit', '-qm', 'Folder');
  const script = fileURLToPath(new URL('receiver-to-kill.js', import.meta.url));
  const published: string[] = [];
  for (let round = 0; round < 4; round++) {
    const child = spawn(process.execPath, [script, site.top, `${round}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    await site.until('it commits', async () =>
      (await site.subjects()).some((line) => line.includes(` ${round}-`)),
    );
    await setTimeout(Math.random() * 400);
    child.kill('SIGKILL');
    await once(child, 'close');
    published.push(...said.split('\n').slice(0, -1));
  }

  const names = await readdir(join(site.top, 'content'));
  const host = await site.start({
    articles: () =>
      filesIn(
        site.top,
        names.map((name) => `content/${name}`),
      ),
  });
  await host.hooks.doAction('host.ready', { url: '' });
  await site.until('everything is in HEAD', async () => {
    const there = new Set((await site.git('ls-tree', '--name-only', 'HEAD', 'content/')).split('\n'));
    return published.every((id) => there.has(`content/${id}.md`));
  });
  await site.stop();
  const subjects = (await site.subjects()).filter((subject) => subject.startsWith('Publish: '));
  t.is(new Set(subjects).size, subjects.length);
  t.true(subjects.length >= published.length);
  // A file that the kill cut off while it was being written was never published, and is nobody's to commit.
  const status = (await site.git('status', '--porcelain')).split('\n');
  t.deepEqual(
    status.filter((line) => published.some((id) => line.endsWith(`content/${id}.md`))),
    [],
  );
  t.is(await site.git('fsck', '--full', '--no-dangling'), '');
  await t.throwsAsync(access(join(site.top, '.git', 'index.lock')));
});
