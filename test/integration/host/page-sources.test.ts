import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createTestSite } from 'pressmark/testing';

const PLUGIN = `import fs from 'node:fs';
export default { name: 'look', pages(host) {
  host.templates(new URL('./look/', import.meta.url));
  const list = host.input(new URL('./list.txt', import.meta.url));
  host.helper('list', () => fs.readFileSync(list, 'utf8'));
} };`;

const SCRIPT = 'let one = 1';

test('the pages of a running receiver follow the templates and the input files of plugins, whose scripts may run', async (t) => {
  const site = await createTestSite({
    files: {
      'plugins/look.mjs': PLUGIN,
      'plugins/list.txt': 'the first list',
      'plugins/look/article.eta': `<!doctype html><script>${SCRIPT}</script><%= it.helpers.list() %> <%~ it.article.html %>`,
    },
  });
  t.teardown(site.close);
  const { url } = await site.deliver();
  await site.built(url, 'the first list');
  const policy = (await site.fetch(new URL(url).pathname)).headers.get('content-security-policy') ?? '';
  t.true(policy.includes(`'sha256-${hash('sha256', SCRIPT, 'base64')}'`), policy);
  fs.writeFileSync(join(site.dir, 'plugins/list.txt'), 'the second list');
  await site.built(url, 'the second list');
  fs.writeFileSync(join(site.dir, 'plugins/look/article.eta'), 'another look <%~ it.article.html %>');
  await site.built(url, 'another look');
});
