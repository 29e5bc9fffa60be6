import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { SiteStatus } from '../../../src/app/status.js';
import { type DeployState, readDeployState } from '../../../src/deploy/deploy-queue.js';
import { readFacts, type SiteFacts } from '../../../src/deploy/facts.js';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { gitIn, inClone, makeRemote } from '../../support/clones.js';
import { startEndpoint } from '../../support/endpoint.js';
import { article } from '../../support/events.js';
import { filesWith } from '../../support/files-with.js';
import { freePort } from '../../support/free-port.js';
import { runHere } from '../../support/in-process.js';
import { healthDetails, startReceiver } from '../../support/receiver.js';
import { type ReceiverHere, startHere } from '../../support/receiver-here.js';
import { servedFolder } from '../../support/static-server.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

function writeConfig(dir: string, config: object): void {
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(config));
}

/** What `/healthz?verbose` has. */
interface Details {
  readonly facts: SiteFacts;
  readonly push: { readonly waiting: number };
  readonly targets: DeployState;
}

const live = (receiver: ReceiverHere) => receiver.log.filter(({ msg }) => msg === 'article live');

test('an article is live once it is served from the deploy folder, also after a kill; of two receivers the one that builds looks for the articles of both, and the other takes over', async (t) => {
  const dir = tempDir(t);
  const [site, folder] = [join(dir, 'site'), join(dir, 'srv')];
  const port = await freePort();
  fs.mkdirSync(site);
  writeConfig(site, { git: false, deploy: { folder }, liveCheck: true, site: { search: false } });
  const options = { dir: site, env: { PRESSMARK_SITE_URL: `http://127.0.0.1:${port}` } };
  const facts = () => readFacts(join(site, '.pressmark'));
  const publish = async (receiver: Pick<ReceiverHere, 'post'>, id: string) => {
    const { status, json } = await receiver.post('article.published', article({ id, slug: id }));
    t.is(status, 200);
    return json.url;
  };
  const first = await startReceiver(t, options);
  const url = await publish(first, 'one');
  await until('the deployed article is not found', () => facts().awaited[0]?.found !== undefined);
  t.is(facts().live, undefined);
  await until(
    'the deploy is noted',
    () => readDeployState(join(site, '.pressmark'))[`folder ${folder}`]?.deployed !== undefined,
  );
  await first.kill('SIGKILL');

  await servedFolder(t, join(folder, 'current'), port);
  const second = await startHere(t, options);
  await until('the article is live', () => live(second).length === 1);
  t.is(live(second)[0]?.url, url);
  await until('that is noted', () => facts().live?.id === 'one' && facts().awaited.length === 0);
  t.true((await (await fetch(url)).text()).includes('svc:item:one'));

  const third = await startHere(t, options);
  await publish(third, 'two');
  await until('the article of the other receiver is live', () => live(second).length === 2);
  await until('that is noted', () => facts().live?.id === 'two' && facts().awaited.length === 0);
  const details = (await healthDetails(third.origin)) as Details;
  t.like(details.facts, { delivery: { id: 'two' }, live: { id: 'two' } });

  await second.close();
  await publish(third, 'three');
  await until('the article that it looks for is live', () => live(third).length === 1);
  await third.close();
  const status = await runHere(['status', '--dir', site, '--json']);
  t.is(status.code, 0, status.stderr);
  const { facts: known, targets } = JSON.parse(status.stdout) as SiteStatus;
  t.like(known, { delivery: { id: 'three' }, live: { id: 'three' }, awaited: [] });
  t.is(typeof targets[`folder ${folder}`]?.deployed?.at, 'string');
});

test('a deploy that fails is tried again, and no delivery fails because of it; an article that is held leaves what was deployed', async (t) => {
  const dir = tempDir(t);
  const [site, folder] = [join(dir, 'site'), join(dir, 'srv')];
  const current = join(folder, 'current');
  fs.mkdirSync(site);
  fs.mkdirSync(current, { recursive: true });
  writeConfig(withCaller(site), { git: false, deploy: { folder } });
  const receiver = await startHere(t, { dir: site });
  const failures = () => receiver.log.filter(({ msg }) => msg.startsWith('the site could not be deployed'));
  for (const word of ['okapi', 'tapir']) {
    const data = article({ id: word, slug: word, title: `A ${word}`, tags: [word] });
    t.is((await receiver.post('article.published', data)).status, 200);
  }
  await until('the failure is logged', () => failures().length > 0);
  t.regex(String(failures()[0]?.error), /current in the deploy folder is not a symbolic link; move it away/);
  await until('status fails', async () => (await runHere(['status', '--dir', site])).code === 1);
  fs.rmdirSync(current);
  const has = (path: string) => fs.existsSync(join(current, path));
  await until('both are deployed', () =>
    ['okapi', 'tapir'].every((word) => has(`articles/${word}/index.html`)),
  );
  await until('the search index is deployed', () => has('pagefind/pagefind-entry.json'));

  t.true(filesWith(current, 'okapi').length > 1, 'its page and what lists it');
  await articlesOf(receiver).setState('okapi', 'held');
  await until(
    'it is deployed no more, nor is it in the index',
    () => filesWith(current, 'okapi').length === 0,
  );
  t.true(has('articles/tapir/index.html'));
});

test('where the host builds the site, its hook is called after the push and when a date has come, the article is live then, and the facts say so', async (t) => {
  const calls: string[] = [];
  const hook = await startEndpoint(t, (_, response) => {
    calls.push(clones.git('log', '--format=%s', 'main'));
    response.end();
  });
  const clones = makeRemote(tempDir(t), undefined, {
    durability: 'disk',
    git: { push: { debounce: 0 } },
    deploy: { hook: true },
    site: { search: false },
    liveCheck: true,
  });
  const dir = clones.clone('a');
  const PRESSMARK_SITE_URL = await servedFolder(t, join(dir, 'public'));
  const PRESSMARK_DEPLOY_HOOK = `${hook.origin}/secret-path`;
  const start = () => startHere(t, inClone(dir, { env: { PRESSMARK_SITE_URL, PRESSMARK_DEPLOY_HOOK } }));
  const receiver = await start();
  await until('the hook is called for what is there at the start', () => calls.length === 1);
  t.is((await receiver.post('article.published', article({ title: 'Soil' }))).status, 200);
  await until('the hook is called for the article', () => calls.length === 2);
  t.regex(calls[1] ?? '', /^Publish: Soil$/m);
  await until('the facts say so', async () => {
    const { facts, push, targets } = (await healthDetails(receiver.origin)) as Details;
    const called = targets.hook?.deployed?.version;
    return facts.commit?.subject === 'Publish: Soil' && called === facts.commit.commit && push.waiting === 0;
  });
  t.is(calls.length, 2);
  t.false(JSON.stringify(receiver.log).includes('secret-path'));

  await receiver.close();
  const again = await start();
  t.is((await again.post('article.published', article({ title: 'Moss' }))).status, 200);
  await until('the hook is called for the next article', () => /^Publish: Moss$/m.test(calls.at(-1) ?? ''));
  t.is(calls.length, 3, 'where nothing has changed, a start calls no hook');

  // Nothing is committed when a date comes, and the host must build all the same.
  const isoIn = (ms: number) => new Date(Date.now() + ms).toISOString();
  const fern = article({ title: 'Fern', slug: 'fern', published_at: isoIn(3_600_000) });
  t.is((await again.post('article.published', fern)).status, 200);
  await until('the hook is called for its commit', () => /^Publish: Fern$/m.test(calls.at(-1) ?? ''));
  const before = calls.length;
  const files = fs.readdirSync(join(dir, 'content'), { recursive: true, encoding: 'utf8' });
  const file = join(dir, 'content', files.find((name) => name.endsWith('fern.md')) ?? '');
  const soon = isoIn(2_500);
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^date: .*/m, `date: "${soon}"`));
  gitIn(dir, 'commit', '--quiet', '--all', '--message', 'Fern comes sooner');
  await until('the hook is called when the date comes', () => calls.length > before);
  t.true(Date.now() >= Date.parse(soon));
  await until('it is live', () => live(again).some(({ id }) => id === fern.id));
});
