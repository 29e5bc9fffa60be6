import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { articleFiles } from '../../support/content.js';
import { article, envelope, testData } from '../../support/events.js';
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

async function post(body: string, headers: Record<string, string>) {
  const answer = await fetch(`${receiver().origin}/webhook`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Connection: 'close', ...headers },
    body,
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

test('200-service-name: a service with a name is received under its own headers, and its comment is on the page', async (t) => {
  const tested = JSON.stringify(envelope('webhook.test', testData()));
  const capabilities = await post(tested, {
    'X-Acme-Signature': openssl(tested),
    'X-Acme-Event': 'webhook.test',
    'X-Acme-Contract': '2',
  });
  t.deepEqual([capabilities.status, capabilities.json.contract_version], [200, 3]);
  const signed = { 'X-Acme-Signature': openssl(tested), 'X-Service-Contract': '3' };
  t.is((await post(tested, signed)).status, 200, 'a header of another service is not looked at');
  const wrong = await post(tested, { ...signed, 'X-Acme-Contract': '3' });
  t.deepEqual([wrong.status, wrong.json.error], [400, 'X-Acme-Contract must be 2 on webhook.test, got "3"']);

  const comment = '<!-- ac:item:a-1 -->';
  const data = article({
    id: 'a-1',
    content_html: `<p>Bees.</p>\n${comment}`,
    content_markdown: `Bees.\n\n${comment}`,
  });
  const body = JSON.stringify(envelope('article.published', data));
  const published = await post(body, { 'x-acme-signature': openssl(body) });
  t.is(published.status, 200, JSON.stringify(published.json));
  const { pathname } = new URL(String(published.json.url));
  const page = join(receiver().dir, 'public', pathname, 'index.html');
  await until('the page is there', () => fs.existsSync(page));
  t.true(fs.readFileSync(page, 'utf8').includes(comment));
});

test('401-other-service: the answer names the header that was expected and the one that came, and no value', async (t) => {
  const body = JSON.stringify(envelope('article.published', article({ id: 'unsigned' })));
  const signature = openssl(body);
  const { status, json } = await post(body, { 'X-Service-Signature': signature });
  t.is(status, 401);
  t.is(
    json.error,
    "X-Acme-Signature is missing, and X-Service-Signature came; set service.name in the receiver's config to the name in the service's headers",
  );
  t.false(JSON.stringify([json, receiver().log]).includes(signature.slice(7)));
  const unsigned = await post(body, {});
  t.is(unsigned.json.error, 'X-Acme-Signature is missing; send sha256= and the HMAC-SHA256 of the raw body');
  const wrong = await post(body, { 'X-Acme-Signature': openssl('x'), 'X-Other-Signature': signature });
  t.is(wrong.status, 401, 'a right signature under another name counts for nothing');
  t.is(wrong.json.error, 'X-Acme-Signature does not match the raw body: check the signing secret');
  t.false(articleFiles(receiver().dir).some((path) => path.includes('unsigned')));
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
