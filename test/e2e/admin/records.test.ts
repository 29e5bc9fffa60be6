import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn } from '../../support/clones.js';
import { update } from '../../support/events.js';
import { until } from '../../support/until.js';
import { sharedAdmin, testJobs } from './shared-admin.js';

const DECLINING = '#!/bin/sh\necho "Only pull requests may change main." >&2\nexit 1\n';

/** A text that an update has replaced before git had it. */
const REPLACED = 'replaced/content/articles/soil.md/2026-11-19T08-00-00.123Z-0123456789abcdef.md';

const site = sharedAdmin(test, (dir) => {
  const remote = join(dir, 'remote.git');
  execFileSync('git', ['init', '--quiet', '--bare', remote]);
  fs.writeFileSync(join(remote, 'hooks/pre-receive'), DECLINING, { mode: 0o755 });
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'remote', 'add', 'origin', remote);
  fs.mkdirSync(join(dir, '.pressmark', REPLACED, '..'), { recursive: true });
  fs.writeFileSync(join(dir, '.pressmark', REPLACED), 'What stood here by hand.');
  return { git: { push: { debounce: 50 } }, deploy: { folder: join(dir, 'srv') }, liveCheck: true };
});

testJobs(test, site, {
  'the overview shows how far articles got, in the words of what went wrong, and leads to what came last':
    async ({ t, site, ada, way }) => {
      const { title } = await site.publish(`Seen at once, ${way}`);
      await ada.reloadsUntil('Only pull requests may change main.');
      await ada.reloadsUntil(/✓\s*Live/); // the last of them
      const stations = ada.page
        .getByRole('region', { name: 'From delivery to live' })
        .getByRole('heading', { level: 3 });
      t.deepEqual(await stations.allInnerTexts(), [
        '✓ Delivery',
        '✓ Commit',
        '✗ Push',
        '✓ Build',
        '✓ Deploy',
        '✓ Live',
      ]);
      await ada.follow(title);
      await ada.sees('Visibility');
    },

  'a delivery is found, and shown as it came with all that followed; it is repeated as a dry run': async ({
    t,
    site,
    ada,
    way,
  }) => {
    const { id, url } = await site.publish(`Delivered, ${way}`);
    const target = { target_id: id, target_url: url, base_revision_id: 'none' };
    const late = update(target, { id: `late-${id}` });
    await site.post('article.updated', late);
    await ada.goTo('Deliveries');
    await ada.search(id);
    await ada.reloadsUntil('2 deliveries');
    await ada.choose('Status', 'Refused');
    await ada.choose('Event', 'article.updated');
    await ada.press('Filter');
    await ada.sees('1 delivery');
    await ada.choose('Status', 'All');
    await ada.choose('Event', 'article.published');
    await ada.press('Filter');
    await ada.follow('article.published', id);
    await ada.sees('x-service-event');
    await ada.sees('not kept: it may prove who sent it');
    await ada.sees(`"url":"${url}"`);
    await ada.reloadsUntil('Seen');
    const followed = ada.page.locator('#after');
    t.deepEqual(await followed.locator('dt').allInnerTexts(), [
      'File',
      'Commit',
      'Build',
      'Deploy',
      'Live page',
    ]);
    // The page may be seen before git, which a slow machine holds up, has made the commit.
    await until('the commit, the build, the deploy and the page are marked', async () => {
      await ada.page.reload();
      return (await followed.locator('.mark.ok').count()) === 4;
    });
    await ada.follow('Show the answer');
    await ada.sees('Nothing would be written: the article is already stored.');
  },

  'the site is built and deployed at once, with what it leaves out and why': async ({
    t,
    site,
    ada,
    way,
  }) => {
    const newest = (id: string) => ada.page.locator(`#${id} time`).first().getAttribute('datetime');
    const { id, title, url } = await site.publish(`Left out, ${way}`);
    const { revision_id: base } = await site.find(url);
    await site.admin.post(`articles/article?id=${id}`, { do: 'state', state: 'held', base });
    await ada.goTo('Builds');
    await ada.reloadsUntil(new RegExp(`${id}\\.md`));
    const [build, deploy] = [await newest('builds'), await newest('deploys')];
    await ada.press('Build now');
    await ada.sees('A build was requested.');
    await until('the build is listed', async () => {
      await ada.page.reload();
      return (await newest('builds')) !== build;
    });
    await ada.press('Deploy now');
    await ada.sees('A deploy was requested.');
    await until('the deploy is listed', async () => {
      await ada.page.reload();
      return (await newest('deploys')) !== deploy;
    });
    t.is(await ada.page.locator('#deploys .mark').first().innerText(), '✓ Deployed');
    await ada.follow(/^now$| ago$/); // the time of the last one
    await ada.sees('The command printed nothing.');
    await ada.goTo('Builds');
    await ada.follow(`content/articles/2026/11/bees-${id}.md`);
    await ada.sees(title);
  },

  'git shows what waits, what the remote has refused in its words, and a text that was replaced': async ({
    ada,
  }) => {
    await ada.goTo('Git');
    await ada.reloadsUntil('The remote declined the push');
    await ada.sees('Only pull requests may change main.');
    await ada.sees('Publish: ');
    await ada.follow('content/articles/soil.md');
    await ada.sees('What stood here by hand.');
  },
});
