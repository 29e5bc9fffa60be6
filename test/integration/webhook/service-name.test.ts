import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { articleFiles } from '../../support/content.js';
import { article, envelope } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { SITE_URL } from '../../support/receiver.js';
import { sharedHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

// A receiver whose config names a service.
const receiver = sharedHere(test, {
  config: { git: false, site: { search: false }, service: { name: 'Acme', comment: 'ac' } },
});

/** A body's signature, made by openssl. */
function openssl(body: string): string {
  const [hex] = execFileSync('openssl', ['dgst', '-sha256', '-hmac', SECRET, '-r'], { input: body })
    .toString()
    .split(' ');
  return `sha256=${hex}`;
}

test('200-service-name: a service with a name is received under its own headers, and its comment is on the page', async (t) => {
  const comment = '<!-- ac:item:a-1 -->';
  const data = article({
    id: 'a-1',
    content_html: `<p>Bees.</p>\n${comment}`,
    content_markdown: `Bees.\n\n${comment}`,
  });
  const body = JSON.stringify(envelope('article.published', data));
  const answer = await fetch(`${receiver().origin}/webhook`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Connection: 'close', 'x-acme-signature': openssl(body) },
    body,
  });
  const published = (await answer.json()) as { url: string };
  t.is(answer.status, 200, JSON.stringify(published));
  const page = join(receiver().dir, 'public', new URL(published.url).pathname, 'index.html');
  await until('the page is there', () => fs.existsSync(page));
  t.true(fs.readFileSync(page, 'utf8').includes(comment));
});

test('200-service-name: sender, checker and send speak as the service that they are given', async (t) => {
  const { origin, dir } = receiver();
  const url = `${origin}/webhook`;
  const posts = tempDir(t);
  const hornets = join(posts, 'hornets.md');
  fs.writeFileSync(hornets, '---\ntitle: Hornets\n---\nHornets.\n');
  const pressmark = async (...args: string[]) => {
    const ended = await runHere(args, { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL });
    return { ...ended, all: ended.stdout + ended.stderr };
  };
  const said = async (code: number, words: RegExp, ...args: string[]) => {
    const ended = await pressmark(...args);
    t.is(ended.code, code, ended.all);
    t.regex(ended.all, words);
  };

  const missing = /X-Acme-Signature is missing, and X-(?:Service|Other)-Signature came/;
  await said(1, missing, 'connect', 'garden', url, '--dir', posts);
  await said(0, /connected/, 'connect', 'garden', url, '--service', 'Acme:ac', '--dir', posts);
  await said(0, /1 delivered/, 'publish', hornets, '--dir', posts);
  const [path = ''] = articleFiles(dir).filter((one) => one.includes('hornets'));
  t.regex(fs.readFileSync(path, 'utf8'), /Hornets\.\n\n<!-- ac:item:md-[0-9a-f]{24} -->/);
  fs.appendFileSync(hornets, '\nMore.\n');
  await said(0, /✓/, 'refresh', `${SITE_URL}/articles/hornets/`, hornets, '--dir', posts);
  t.regex(fs.readFileSync(path, 'utf8'), /More\.\n\n<!-- ac:item:md-[0-9a-f]{24} -->/);

  const only = ['--only', 'signature-missing,content-item-comment,header-contract-absent', '--dir', posts];
  const accepted = /A request without X-Acme-Signature is answered 401/;
  await said(0, accepted, 'check', 'garden', '--json', ...only);
  await said(1, missing, 'check', url, '--service', 'Other', ...only);

  await said(0, /^200 /, 'send', 'article.published', '--to', url, '--dir', dir);
  t.true(articleFiles(dir).some((one) => /<!-- ac:item:(?!a-1|md-)/.test(fs.readFileSync(one, 'utf8'))));
  const send = ['send', 'webhook.test', '--to', url, '--dir', dir];
  await said(1, /^401 /, ...send, '--service', 'Other');
  const word = /It must be a word that can stand in a header's name, such as Acme/;
  await said(2, word, ...send, '--service', 'No Name');
});
