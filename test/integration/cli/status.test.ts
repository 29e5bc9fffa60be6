import fs from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import type { Finding } from '../../../src/app/doctor/finding.js';
import { readFacts } from '../../../src/deploy/facts.js';
import { committedIds, gitIn } from '../../support/clones.js';
import { articleFiles } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { SITE_URL } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const ENV = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL, PORT: '0' };
const HOUR_MS = 3_600_000;
const status = (dir: string) => runHere(['status', '--dir', dir], ENV);

test('status, doctor and send find the receiver that runs, wherever it listens, and none that was killed; status says why a build failed', async (t) => {
  const dir = storeOnly(tempDir(t));
  const folder = join(dir, '.pressmark/receivers');
  fs.mkdirSync(folder, { recursive: true });
  // Of a killed one, whose lock has ended with it.
  const killed = { pid: 17, port: 1, since: '', commits: true, siteUrl: SITE_URL, preview: false };
  fs.writeFileSync(join(folder, 'killed.json'), JSON.stringify(killed));
  t.regex((await status(dir)).stdout, /^! receiver {2}none is running on this machine/m);
  const receiver = await startHere(t, { dir });
  t.is(fs.readdirSync(folder).length, 1, 'the start has removed the other one');
  const send = () => runHere(['send', 'webhook.test', '--dir', dir], { ...ENV, PORT: '1' });
  t.regex((await send()).stdout, /^200 /);
  t.true(
    (await runHere(['doctor', '--dir', dir], ENV)).stdout.includes(
      `✓ port: this site’s receiver answers on port ${receiver.port} (process ${process.pid})`,
    ),
  );
  const { stdout: fresh } = await status(dir);
  t.regex(fresh, new RegExp(`^✓ receiver  process ${process.pid} on port ${receiver.port}, started `, 'm'));
  t.regex(fresh, /^ {2}delivery {2}none yet$/m);
  await receiver.post('article.published', article({ slug: 'soil' }));
  const at = new Date(Date.now() - 10 * HOUR_MS).toISOString();
  fs.appendFileSync(
    join(dir, '.pressmark/facts.jsonl'),
    `${JSON.stringify({ buildError: { at, reason: 'no space left' } })}\n`,
  );
  t.notRegex((await status(dir)).stdout, /last build failed/, 'nobody builds this site here');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "git": false }');
  t.regex((await status(dir)).stdout, /^✗ build {5}the last build failed 10 h ago: no space left$/m);
  await receiver.close();
  t.deepEqual(fs.readdirSync(folder), []);
  const { stdout: after } = await status(dir);
  t.regex(after, /^! receiver {2}none is running on this machine; what follows is what the last one/m);
  t.regex(after, /^✓ delivery {2}https:\/\/garden\.example\/articles\/soil\/ \d+ (?:s|min) ago$/m);
  const { code, stderr } = await send();
  t.is(code, 1);
  t.regex(
    stderr,
    /no receiver of this site is running \(.* cannot be reached\); start it with pressmark start/,
  );
});

test('where git was set up after the start, doctor and status say that the receiver must be restarted; then status says why the last commit failed, until there is one, and an update is refused meanwhile', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "site": false }');
  fs.writeFileSync(join(dir, '.gitignore'), '.pressmark/\n');
  const first = await startHere(t, { dir });
  const soil = article({ slug: 'soil' });
  const { url } = (await first.post('article.published', soil)).json;
  gitIn(dir, 'init', '--quiet');
  const words = `the receiver (process ${process.pid}) commits nothing, as git could not be used when it was started`;
  const { code, stdout } = await status(dir);
  t.is(code, 1);
  t.true(stdout.includes(`✗ git       ${words}\n  → restart it`), stdout);
  const doctor = await runHere(['doctor', '--dir', dir, '--json'], ENV);
  const findings = (JSON.parse(doctor.stdout) as Finding[]).filter(({ about }) => about === 'git');
  t.like(
    findings.filter(({ level }) => level === 'fail'),
    [{ text: words }],
  );
  t.false(findings.some(({ text }) => text.startsWith('articles are committed to')));
  await first.close();

  gitIn(dir, 'commit', '--quiet', '--allow-empty', '--message=First');
  const rebase = join(dir, '.git/rebase-merge');
  fs.mkdirSync(rebase);
  const second = await startHere(t, { dir });
  await second.post('article.published', article({ slug: 'moss' }));
  const failed = /^✗ commit {4}content\/\S+(?:soil|moss)\.md could not be committed \d+ s ago: .*rebase/m;
  await until('that is noted', () => readFacts(join(dir, '.pressmark')).commitError !== undefined);
  const change = update({
    target_id: soil.id,
    target_url: url,
    base_revision_id: (await second.find(url)).revision_id,
  });
  const refused = await second.post('article.updated', change);
  t.is(refused.status, 503);
  t.regex(refused.json.error, /a rebase is unfinished/);
  const unable = await status(dir);
  t.is(unable.code, 1);
  t.regex(unable.stdout, failed);
  fs.rmdirSync(rebase);
  await until('the articles are committed', () => committedIds(dir, 'HEAD').length === 2);
  await until('status says so', async () => (await status(dir)).code === 0);
});

test('status and doctor judge each awaited article and a push that failed; list says which is not seen live', async (t) => {
  const dir = storeOnly(tempDir(t));
  const receiver = await startHere(t, { dir });
  await receiver.post('article.published', article({ slug: 'soil' }));
  await receiver.close();
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "site": false, "git": { "push": true } }');
  const [path = ''] = articleFiles(dir);
  const awaited = (n: number, hours: number, found?: string) => {
    const at = new Date(Date.now() - hours * HOUR_MS).toISOString();
    const of = n === 0 ? relative(dir, path) : `content/${n}.md`;
    return { awaited: { path: of, id: `${n}`, url: `${SITE_URL}/articles/${n}/`, at, found } };
  };
  const news = [awaited(0, 10, 'the page answers 404'), ...[1, 2, 3, 4, 5, 6, 7].map((n) => awaited(n, 0))];
  fs.writeFileSync(
    join(dir, '.pressmark/facts.jsonl'),
    news.map((one) => `${JSON.stringify(one)}\n`).join(''),
  );
  const push = { lastError: 'GH006: Protected branch', isDeclined: true, waiting: 1 };
  fs.writeFileSync(join(dir, '.pressmark/push.json'), JSON.stringify(push));
  const { code, stdout } = await status(dir);
  t.is(code, 1);
  t.regex(stdout, /^✗ live {6}\S+\/articles\/0\/ not live yet: the page answers 404; delivered 10 h ago$/m);
  t.regex(stdout, /^ {2}live {6}\S+\/articles\/7\/ not seen on its page yet; delivered /m);
  t.regex(stdout, /^ {2}live {6}3 more were not seen on their pages/m, 'those came a moment ago');
  t.regex(stdout, /^✗ push {6}.*GH006/m);
  const doctor = await runHere(['doctor', '--dir', dir], ENV);
  t.is(doctor.code, 1);
  t.regex(doctor.stdout, /^✗ live: \S+\/articles\/0\/ not live yet/m);
  t.regex(doctor.stdout, /^✗ push: .*GH006/m);
  const list = await runHere(['list', '--dir', dir], ENV);
  t.true(list.stdout.includes(`${SITE_URL}/articles/soil/ (not seen live yet)`), list.stdout);
});

test('status names the jobs that failed, and counts those that wait', async (t) => {
  const dir = storeOnly(tempDir(t));
  fs.mkdirSync(join(dir, '.pressmark/jobs/noted'), { recursive: true });
  const at = new Date(Date.now() - 3 * HOUR_MS).toISOString();
  const note = (id: string, state: object) => ({
    name: 'article.published',
    at,
    payload: { id },
    jobs: { 'announce.post': state },
  });
  const error = 'answered 500';
  const nextAt = '2099-01-01T00:00:00.000Z';
  const events = [
    note('a1', { kind: 'failed', attempt: 2, error, nextAt }),
    note('a2', { kind: 'givenUp', attempt: 10, error, at }),
    note('a3', { kind: 'waiting' }),
    note('a4', { kind: 'running', attempt: 1, since: at }),
  ];
  fs.writeFileSync(join(dir, '.pressmark/jobs/noted/1.json'), `${JSON.stringify({ events })}\n`);
  const { code, stdout } = await status(dir);
  t.is(code, 1);
  const lines = [
    `✗ job       announce.post failed 2 times for article.published of a1, tried again at ${nextAt}: answered 500`,
    '✗ job       announce.post failed 10 times for article.published of a2, given up 3 h ago: answered 500',
    '! job       announce.post: 2 events wait',
  ];
  for (const line of lines) t.true(stdout.split('\n').includes(line), stdout);
  const json = JSON.parse((await runHere(['status', '--dir', dir, '--json'], ENV)).stdout);
  t.is(json.jobs.length, 4);
  t.like(json.jobs[0], { job: 'announce.post', id: 'a1', state: { kind: 'failed', attempt: 2 } });
});
