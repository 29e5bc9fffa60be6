import { execFileSync } from 'node:child_process';
import test from 'ava';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';

// Runs before everything else, and for longer than an action is waited for.
const ENDLESS = `export default { name: 'endless', receiver(host) {
  for (const name of ['host.ready', 'article.published', 'delivery.accepted', 'site.built'])
    host.addAction(name, () => new Promise((resolve) => setTimeout(resolve, 3_600_000).unref()), { priority: -1_000 });
} };`;

test('an action of a plugin that never ends delays neither pages nor commits', async (t) => {
  const dir = tempDir(t);
  execFileSync('git', ['init', '--quiet', dir]);
  withPlugins(dir, { endless: ENDLESS });
  const { post, origin, log } = await startHere(t, { dir, config: { site: { search: false } } });
  const { json } = await post('article.published', article());
  const page = `${origin}${new URL(json.url).pathname}`;
  await until('the page is served', async () => (await fetch(page)).status === 200);
  const commits = () =>
    execFileSync('git', ['-C', dir, 'log', '--format=%s', '--branches'], { encoding: 'utf8' });
  await until('the article is committed', () => commits().includes('Publish'));
  t.false(
    log.some(({ msg }) => msg.includes('is still running')),
    'the plugin has not been given up',
  );
});
