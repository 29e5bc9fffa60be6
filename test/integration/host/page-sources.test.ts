import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createTestSite } from 'pressmark/testing';

const PLUGIN = `import fs from 'node:fs';
export default { name: 'look',
  receiver: (host) => host.routes((router) => router.get('/:id', async (context) => {
    await host.articles.rebuild([context.params.id]);
    context.body = 'asked';
  })),
  pages(host) {
    host.templates(new URL('./look/', import.meta.url));
    const list = host.input(new URL('./list.txt', import.meta.url));
    host.helper('list', () => fs.readFileSync(list, 'utf8'));
    host.addFilter('page.content', (html) => html + fs.readFileSync(host.paths.site + '/votes.txt', 'utf8'));
  } };`;

const SCRIPT = 'let one = 1';

test('the pages of a running receiver follow the templates and the input files of plugins, whose scripts may run, and are made again where a plugin asks for it', async (t) => {
  const site = await createTestSite({
    files: {
      'votes.txt': 'no votes',
      'plugins/look.mjs': PLUGIN,
      'plugins/list.txt': 'the first list',
      'plugins/look/article.eta': `<!doctype html><script>${SCRIPT}</script><%= it.helpers.list() %> <%~ it.article.html %>`,
    },
  });
  t.teardown(site.close);
  const { id, url } = await site.deliver();
  await site.built(url, 'the first list');
  const policy = (await site.fetch(new URL(url).pathname)).headers.get('content-security-policy') ?? '';
  t.true(policy.includes(`'sha256-${hash('sha256', SCRIPT, 'base64')}'`), policy);
  fs.writeFileSync(join(site.dir, 'plugins/list.txt'), 'the second list');
  await site.built(url, 'the second list');
  fs.writeFileSync(join(site.dir, 'plugins/look/article.eta'), 'another look <%~ it.article.html %>');
  await site.built(url, 'another look');

  fs.writeFileSync(join(site.dir, 'votes.txt'), 'three votes');
  t.is(await (await site.fetch(`/-/look/${id}`)).text(), 'asked');
  await site.built(url, 'three votes');
});
