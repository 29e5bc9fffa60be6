import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn, inClone, makeRemote } from '../../support/clones.js';
import { edit, namesIn } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { generatorSite, listAddressesOf, writePost } from '../../support/generator-site.js';
import { runHere } from '../../support/in-process.js';
import { OWN_PROGRAMS, SITE_URL } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

// A site that Hugo builds, at level push; the state of its receiver is in the git folder. Levels are alike but for their writer.

const OLD = "+++\ntitle = 'By hand' # mine\ndate = 2024-03-01\n+++\nThe old words.\n";

test('200: articles, updates and edits are commits of one file each, and nothing else is touched', async (t) => {
  const clones = makeRemote(tempDir(t));
  const dir = clones.clone('site');
  generatorSite(dir, 'hugo', { config: { durability: 'push', git: { push: { fetchEvery: 500 } } } });
  writePost(dir, 'posts/by-hand.md', OLD);
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '-qm', 'A Hugo site');
  gitIn(dir, 'push', '-q');
  gitIn(dir, 'config', 'user.name', 'Olga');
  gitIn(dir, 'config', 'user.email', 'olga@example.org');
  fs.appendFileSync(join(dir, '.git/info/exclude'), '.gitconfig\n');
  await listAddressesOf(dir, { 'posts/by-hand.md': '/2024/by-hand/' });
  const PATH = `${join(dir, OWN_PROGRAMS)}:${process.env.PATH}`;
  const { post, find } = await startHere(t, inClone(dir, { env: { PATH }, resend: true }));

  const committed = async (path: string, count: number) => {
    const log = () => gitIn(dir, 'log', '--format=%s', '--', path).trim().split('\n');
    await until(`${path} has ${count} commits`, () => log().length === count);
    await until(`${path} is clean`, () => gitIn(dir, 'status', '--porcelain') === '');
    const names = gitIn(dir, 'log', '-1', '--name-only', '--format=', '--', path).trim();
    t.is(gitIn(dir, 'log', '-1', '--name-only', '--format=').trim(), names, 'one path');
    return log();
  };
  const updateOf = async (url: string, over: object) => {
    const { id, revision_id } = await find(url);
    const request = update({ target_id: id, target_url: url, base_revision_id: revision_id }, over);
    t.is((await post('article.updated', request)).status, 200);
    t.is((await post('article.updated', request)).status, 200, 'a retry');
    t.like(await find(url), { revision_id: request.revision_id, content_html: request.content_html });
    return request;
  };

  const data = article({ slug: 'soil' });
  const { url } = (await post('article.published', data)).json;
  await committed('content/posts/soil.md', 1);
  const { revision_id: first } = await find(url);
  await updateOf(url, { content_markdown: '' });
  await committed('content/posts/soil.md', 2);
  const page = article({ slug: 'leaf', content_markdown: '' });
  await post('article.published', page);
  await committed('content/posts/leaf.html', 1);
  await updateOf(`${SITE_URL}/2024/by-hand/`, { title: 'New title' });
  const subjects = await committed('content/posts/by-hand.md', 2);
  t.is(subjects[0], 'Update: New title');

  // At level push an edit counts when its author has pushed it.
  const commitByHand = () => {
    gitIn(dir, 'commit', '-q', '-a', '-m', 'Edit: by hand');
    gitIn(dir, 'push', '-q');
  };
  edit(join(dir, 'content/posts/by-hand.md'), 'New title', 'My title');
  commitByHand();
  await committed('content/posts/by-hand.md', 3);
  t.is((await find(`${SITE_URL}/2024/by-hand/`)).title, 'My title');
  fs.appendFileSync(join(dir, 'content/posts/leaf.html'), '<p>Mine.</p>\n');
  commitByHand();
  t.true((await committed('content/posts/leaf.html', 2))[0]?.startsWith('Edit: '));
  t.true((await find(`${SITE_URL}/posts/leaf/`)).content_html.includes('Mine.'));

  gitIn(dir, 'gc', '-q', '--prune=now');
  gitIn(dir, 'clean', '-fdxq');
  const log = await runHere(['log', url, '--dir', dir, '--json'], {
    PRESSMARK_SITE_URL: SITE_URL,
    HOME: dir,
  });
  t.is(log.code, 0, log.stderr);
  const { revisions } = JSON.parse(log.stdout) as { revisions: { revision: string }[] };
  t.is(revisions.length, 2);
  const reverted = await runHere(['revert', url, first, '--dir', dir], {
    PRESSMARK_SITE_URL: SITE_URL,
    HOME: dir,
  });
  t.is(reverted.code, 0, reverted.stderr);
  t.is((await find(url)).content_html, data.content_html);
  await committed('content/posts/soil.md', 3);
  const text = fs.readFileSync(join(dir, 'content/posts/soil.md'), 'utf8');
  // Hugo shows no comment of Markdown: the build puts it into the page.
  t.true(text.endsWith(data.content_markdown.replace(/\s*<!-- svc:item:.*? -->/, '')), text);
  t.notRegex(text, /^markup:/m, 'it is Markdown again');

  t.is((await post('article.published', data)).json.url, url);
  t.false(fs.existsSync(join(dir, '.pressmark')));
  t.true(namesIn(join(dir, '.git/pressmark')).includes('addresses.json'));
});
