import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { SiteStatus } from '../../../src/app/status.js';
import { readFacts } from '../../../src/deploy/facts.js';
import { article, update } from '../../support/events.js';
import { filesWith } from '../../support/files-with.js';
import { runHere } from '../../support/in-process.js';
import { type ReceiverHere, startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { servedFolder } from '../../support/static-server.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { TOY_CONFIG, writeToySite } from './toy-generator.js';

const HOUR = 3_600_000;

/** Soon enough for a test, and late enough that nearly every machine sees it in the future first. */
const SOON = 1_500;

const isoIn = (ms: number) => new Date(Date.now() + ms).toISOString();

interface Listed {
  readonly file: string;
  readonly id: string;
  readonly state: string;
  readonly liveAt?: string;
  readonly isAwaited: boolean;
}

// A site that Pressmark builds is in test/integration/testing/test-site.

test('an article of a date to come has no page before it, has one from then on also where the receiver was started anew, and leaves the site when it expires', async (t) => {
  const site = join(tempDir(t), 'site');
  const siteUrl = await servedFolder(t, join(site, 'public'));
  const end = TOY_CONFIG.lastIndexOf('};');
  writeToySite(site, {
    'pressmark.config.mjs': `${TOY_CONFIG.slice(0, end)}git: false, liveCheck: true };\n`,
  });
  const env = { PRESSMARK_SITE_URL: siteUrl, PRESSMARK_SECRET: SECRET };
  const options = { dir: site, env };
  const pathname = (url: string) => new URL(url).pathname;
  const hasPage = (url: string) => fs.existsSync(join(site, 'public', pathname(url), 'index.html'));
  const isLive = (receiver: ReceiverHere, id: string) =>
    receiver.log.some((line) => line.msg === 'article live' && line.id === id);
  const command = async (...args: string[]) => (await runHere([...args, '--dir', site], env)).stdout;
  const listed = async (id: string) =>
    (JSON.parse(await command('list', '--json')) as Listed[]).find((one) => one.id === id);

  const first = await startHere(t, options);
  const at = isoIn(HOUR);
  const [moss, soil] = [
    article({ id: 'moss', slug: 'moss', title: 'Moss to come', published_at: at }),
    article({ id: 'soil', slug: 'soil', title: 'Soil' }),
  ];
  const answer = await first.post('article.published', moss);
  t.is(answer.status, 200);
  const { url } = answer.json;
  const { json } = await first.post('article.published', soil);
  await until('the other article is live', () => isLive(first, 'soil'));
  t.true(hasPage(json.url));
  t.false(hasPage(url));
  t.deepEqual(filesWith(join(site, 'public'), 'Moss to come'), [], 'no list, feed or neighbour has it');
  t.is((await first.find(url)).id, 'moss');
  t.is((await first.post('article.published', moss)).text, answer.text);
  t.like(await listed('moss'), { state: 'scheduled', liveAt: at, isAwaited: false });
  t.like(await listed('soil'), { state: 'live' });
  const { scheduled, facts } = JSON.parse(await command('status', '--json')) as SiteStatus;
  t.like(scheduled, [{ id: 'moss', url, liveAt: at }]);
  t.deepEqual(facts.awaited, []);
  const target = {
    target_id: 'moss',
    target_url: url,
    base_revision_id: (await first.find(url)).revision_id,
  };
  const refreshed = update(target, { title: 'Moss to come', published_at: at });
  t.is((await first.post('article.updated', refreshed)).status, 200);
  t.like(await listed('moss'), { state: 'scheduled' });
  await until('it is noted, and awaited no more', () => {
    const { delivery, awaited } = readFacts(join(site, '.pressmark'));
    return delivery?.id === 'moss' && awaited.length === 0;
  });

  const file = join(site, (await listed('moss'))?.file ?? '');
  const edit = (change: (text: string) => string) =>
    fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')));
  const setDate = (date: string) => edit((text) => text.replace(/^date: .*/m, `date: "${date}"`));
  await first.close();
  const soon = isoIn(SOON);
  setDate(soon);
  await until('the date has come', () => Date.now() > Date.parse(soon));
  const second = await startHere(t, options);
  await until('it has a page', () => hasPage(url));
  await until('it is live', () => isLive(second, 'moss'));
  await until('that is noted', () => readFacts(join(site, '.pressmark')).live?.id === 'moss');
  t.like(await listed('moss'), { state: 'live', isAwaited: false });

  const expiry = isoIn(SOON);
  edit((text) => text.replace(/^date: /m, `expiryDate: "${expiry}"\ndate: `));
  await until('it goes when it expires', () => !hasPage(url));
  t.true(Date.now() >= Date.parse(expiry));
  await until('list says so', async () => (await listed('moss'))?.state === 'expired');
  const lookup = await second.post('article.lookup', { target_url: url });
  t.is(lookup.status, 404);
  t.regex(lookup.text, /moss\.md has expired/);
  t.is((await second.post('article.published', moss)).text, answer.text, 'its id and URL stay');
  t.true(hasPage(json.url));
});
