import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { SiteStatus } from '../../../src/app/status.js';
import { type DeployState, readDeployState } from '../../../src/deploy/deploy-queue.js';
import { readFacts, type SiteFacts } from '../../../src/deploy/facts.js';
import { launchIn, makeRemote } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { freePort } from '../../support/free-port.js';
import { healthDetails, type Receiver, run, startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { TOY_CONFIG, writeToySite } from './toy-generator.js';

/** A web server of a deploy folder, as nginx serves `current`. */
async function webServer(t: ExecutionContext, root: string, port = 0): Promise<string> {
  const server = http.createServer((request, response) => {
    const path = join(root, decodeURIComponent(request.url ?? '/'), 'index.html');
    if (fs.existsSync(path)) response.end(fs.readFileSync(path));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function writeConfig(dir: string, config: object): void {
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(config));
}

/** What `/healthz?verbose` has. */
interface Details {
  readonly facts: SiteFacts;
  readonly push: { readonly waiting: number };
  readonly targets: DeployState;
}

const live = (receiver: Receiver) => receiver.log.filter(({ msg }) => msg === 'article live');

test('an article is live, built by Pressmark and served from the deploy folder', async (t) => {
  const dir = tempDir(t);
  const folder = join(dir, 'srv');
  const siteUrl = await webServer(t, join(folder, 'current'));
  fs.mkdirSync(join(dir, 'site'));
  writeConfig(join(dir, 'site'), { git: false, deploy: { folder }, liveCheck: true });
  const receiver = await startReceiver(t, { dir: join(dir, 'site'), env: { PRESSMARK_SITE_URL: siteUrl } });
  const answer = await receiver.post('article.published', article({ id: 'one' }));
  t.is(answer.status, 200);
  await until('the article is live', () => live(receiver).length === 1);
  t.is(live(receiver)[0]?.url, answer.json.url);
  t.true(Number(live(receiver)[0]?.ms) >= 0);
  const page = await (await fetch(answer.json.url)).text();
  t.true(page.includes('svc:item:one'));
  await until('the search index is deployed', () =>
    fs.existsSync(join(folder, 'current/pagefind/pagefind-entry.json')),
  );

  await receiver.stop();
  const status = await run(['status', '--dir', join(dir, 'site'), '--json']);
  t.is(status.code, 0, status.stderr);
  const { facts, targets } = JSON.parse(status.stdout) as SiteStatus;
  t.like(facts, { delivery: { id: 'one' }, live: { id: 'one' }, awaited: [] });
  t.is(typeof facts.build?.at, 'string');
  t.is(typeof targets[`folder ${folder}`]?.deployed?.at, 'string');
  t.regex((await run(['status', '--dir', join(dir, 'site')])).stdout, /^✓ live {6}http:\S+ \d+ s ago$/m);
});

for (const generator of ['plain', 'toy'])
  test(`${generator}: a start deploys nothing where the output is what the target has`, async (t) => {
    const dir = tempDir(t);
    const site = join(dir, 'site');
    const folder = join(dir, 'srv');
    const further = `git: false, deploy: { folder: ${JSON.stringify(folder)} }`;
    const config = generator === 'toy' ? TOY_CONFIG : 'export default {\n  site: { search: false },\n};\n';
    const end = config.lastIndexOf('};');
    writeToySite(site, { 'pressmark.config.mjs': `${config.slice(0, end)}${further} };\n` });
    const publish = async (receiver: Receiver, id: string) => {
      t.is((await receiver.post('article.published', article({ id, slug: id }))).status, 200);
      const page = join(folder, 'current', generator === 'toy' ? 'blog' : 'articles', id, 'index.html');
      await until(`the article ${id} is deployed`, () => fs.existsSync(page));
      await until(
        'the deploy is noted',
        () => readDeployState(join(site, '.pressmark'))[`folder ${folder}`]?.deployed !== undefined,
      );
    };
    const deploys = (receiver: Receiver) => receiver.log.filter(({ msg }) => msg === 'site deployed').length;
    const first = await startReceiver(t, { dir: site });
    await publish(first, 'one');
    await first.stop();
    for (const id of ['two', 'three']) {
      const next = await startReceiver(t, { dir: site });
      await publish(next, id);
      await until('the deploy is logged', () => deploys(next) > 0);
      t.is(deploys(next), 1, 'of the new article');
      await next.stop();
    }
  });

test('a deploy that fails is tried again, and no delivery fails because of it', async (t) => {
  const dir = tempDir(t);
  const folder = join(dir, 'srv');
  fs.mkdirSync(join(dir, 'site'));
  fs.mkdirSync(join(folder, 'current'), { recursive: true });
  writeConfig(join(dir, 'site'), { git: false, deploy: { folder } });
  const receiver = await startReceiver(t, { dir: join(dir, 'site') });
  t.is((await receiver.post('article.published', article({ id: 'one', slug: 'one' }))).status, 200);
  const failed = () => receiver.log.find(({ msg }) => msg.startsWith('the site could not be deployed'));
  await until('the failure is logged', () => failed() !== undefined);
  t.regex(String(failed()?.error), /current in the deploy folder is not a symbolic link; move it away/);
  const status = await run(['status', '--dir', join(dir, 'site')]);
  t.is(status.code, 1);
  fs.rmdirSync(join(folder, 'current'));
  const page = join(folder, 'current/articles/one/index.html');
  await until('the site is deployed', () => fs.existsSync(page));
});

test('a receiver that was killed after a build deploys it at the next start', async (t) => {
  const dir = tempDir(t);
  const folder = join(dir, 'srv');
  const site = join(dir, 'site');
  fs.mkdirSync(site);
  writeConfig(site, { git: false, deploy: { command: 'sleep 30' } });
  const first = await startReceiver(t, { dir: site });
  t.is((await first.post('article.published', article({ id: 'one', slug: 'one' }))).status, 200);
  await until('the page is built', () => fs.existsSync(join(site, 'public/articles/one/index.html')));
  await first.kill('SIGKILL');
  writeConfig(site, { git: false, deploy: [{ folder }] });
  await startReceiver(t, { dir: site });
  await until('the page is deployed', () => fs.existsSync(join(folder, 'current/articles/one/index.html')));
});

for (const generator of ['plain', 'toy'])
  test(`${generator}: what a killed receiver has deployed is looked for on the public site by the next one`, async (t) => {
    const dir = tempDir(t);
    const site = join(dir, 'site');
    const folder = join(dir, 'srv');
    const port = await freePort();
    const further = `git: false, deploy: { folder: ${JSON.stringify(folder)} }, liveCheck: true`;
    const config = generator === 'toy' ? TOY_CONFIG : 'export default {\n};\n';
    const end = config.lastIndexOf('};');
    writeToySite(site, { 'pressmark.config.mjs': `${config.slice(0, end)}${further} };\n` });
    const options = { dir: site, env: { PRESSMARK_SITE_URL: `http://127.0.0.1:${port}` } };
    const first = await startReceiver(t, options);
    t.is((await first.post('article.published', article({ id: 'one', slug: 'one' }))).status, 200);
    const facts = () => readFacts(join(site, '.pressmark'));
    await until('the deployed article is not found', () => facts().awaited[0]?.found !== undefined);
    t.is(facts().live, undefined);
    await first.kill('SIGKILL');

    await webServer(t, join(folder, 'current'), port);
    const second = await startReceiver(t, options);
    await until('the article is live', () => live(second).length === 1);
    await until('status says so', () => facts().live?.id === 'one' && facts().awaited.length === 0);
  });

for (const durability of ['disk', 'commit', 'push'] as const)
  test(`${durability}: where the host builds the site, its hook is called after the push, and status shows that`, async (t) => {
    const calls: string[] = [];
    const hook = http.createServer((_, response) => {
      calls.push(clones.git('log', '--format=%s', 'main'));
      response.end();
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    t.teardown(() => hook.close());
    const clones = makeRemote(tempDir(t), undefined, {
      durability,
      git: { push: { debounce: 0 } },
      deploy: { hook: true },
    });
    const dir = clones.clone('a');
    const { port } = hook.address() as AddressInfo;
    const receiver = await launchIn(dir, {
      env: { PRESSMARK_DEPLOY_HOOK: `http://127.0.0.1:${port}/secret-path` },
    });
    t.teardown(() => receiver.kill('SIGKILL'));
    await until('the hook is called for what is there at the start', () => calls.length === 1);
    t.is((await receiver.post('article.published', article({ title: 'Soil' }))).status, 200);
    await until('the hook is called for the article', () => calls.length === 2);
    t.regex(calls[1] ?? '', /^Publish: Soil$/m);
    await until('the facts say so', async () => {
      const { facts, push, targets } = (await healthDetails(receiver.origin)) as Details;
      const called = targets.hook?.deployed?.version;
      return (
        facts.commit?.subject === 'Publish: Soil' && called === facts.commit.commit && push.waiting === 0
      );
    });
    t.is(calls.length, 2);
    t.false(JSON.stringify(receiver.log).includes('secret-path'));

    await receiver.kill('SIGKILL');
    const again = await launchIn(dir, {
      env: { PRESSMARK_DEPLOY_HOOK: `http://127.0.0.1:${port}/secret-path` },
    });
    t.teardown(() => again.kill('SIGKILL'));
    t.is((await again.post('article.published', article({ title: 'Moss' }))).status, 200);
    await until('the hook is called for the next article', () => /^Publish: Moss$/m.test(calls.at(-1) ?? ''));
    // A clone that had not followed the remote before it was killed has another commit at its start.
    t.true(
      calls.length <= (durability === 'push' ? 4 : 3),
      'where nothing has changed, a start calls no hook',
    );
  });
