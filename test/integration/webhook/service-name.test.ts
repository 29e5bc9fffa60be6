import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { articleFiles } from '../../support/content.js';
import { article, envelope, testData } from '../../support/events.js';
import { type Receiver, run, startReceiver } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** A receiver whose config names a service. */
async function receiverOf(t: ExecutionContext, service: object): Promise<Receiver> {
  const dir = tempDir(t);
  const config = { site: { title: 'A garden' }, service };
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(config));
  return startReceiver(t, { dir });
}

/** A body's signature, made by openssl. */
function openssl(body: string): string {
  const [hex] = execFileSync('openssl', ['dgst', '-sha256', '-hmac', SECRET, '-r'], { input: body })
    .toString()
    .split(' ');
  return `sha256=${hex}`;
}

async function post({ origin }: Receiver, body: string, headers: Record<string, string>) {
  const answer = await fetch(`${origin}/webhook`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Connection: 'close', ...headers },
    body,
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

test('200-service-name: a service with a name is received under its own headers, and its comment is on the page', async (t) => {
  const receiver = await receiverOf(t, { name: 'Acme' });
  const tested = JSON.stringify(envelope('webhook.test', testData()));
  const capabilities = await post(receiver, tested, {
    'X-Acme-Signature': openssl(tested),
    'X-Acme-Event': 'webhook.test',
    'X-Acme-Contract': '2',
  });
  t.is(capabilities.status, 200);
  t.is(capabilities.json.contract_version, 3);

  const comment = '<!-- acme:item:a-1 -->';
  const data = article({
    id: 'a-1',
    content_html: `<p>Bees.</p>\n${comment}`,
    content_markdown: `Bees.\n\n${comment}`,
  });
  const body = JSON.stringify(envelope('article.published', data));
  const published = await post(receiver, body, { 'x-acme-signature': openssl(body) });
  t.is(published.status, 200, JSON.stringify(published.json));
  const { pathname } = new URL(String(published.json.url));
  const page = join(receiver.dir, 'public', pathname, 'index.html');
  await until('the page is there', () => fs.existsSync(page));
  t.true(fs.readFileSync(page, 'utf8').includes(comment));
});

test('401-other-service: the answer names the header that was expected and the one that came, and no value', async (t) => {
  const receiver = await receiverOf(t, { name: 'Acme' });
  const body = JSON.stringify(envelope('article.published', article({ id: 'a-1' })));
  const signature = openssl(body);
  const { status, json } = await post(receiver, body, { 'X-Service-Signature': signature });
  t.is(status, 401);
  t.is(
    json.error,
    "X-Acme-Signature is missing, and X-Service-Signature came; set service.name in the receiver's config to the name in the service's headers",
  );
  t.false(JSON.stringify([json, receiver.log]).includes(signature.slice(7)));
  t.deepEqual(articleFiles(receiver.dir), []);

  const unsigned = await post(receiver, body, {});
  t.is(unsigned.json.error, 'X-Acme-Signature is missing; send sha256= and the HMAC-SHA256 of the raw body');
  const wrong = await post(receiver, body, {
    'X-Acme-Signature': openssl('x'),
    'X-Other-Signature': signature,
  });
  t.is(wrong.status, 401, 'a right signature under another name counts for nothing');
  t.is(wrong.json.error, 'X-Acme-Signature does not match the raw body: check the signing secret');
});

test('400-service-contract: the contract header of the service is the one that is checked', async (t) => {
  const receiver = await receiverOf(t, { name: 'Acme' });
  const body = JSON.stringify(envelope('webhook.test', testData()));
  const signed = { 'X-Acme-Signature': openssl(body) };
  const wrong = await post(receiver, body, { ...signed, 'X-Acme-Contract': '3' });
  t.is(wrong.status, 400);
  t.is(wrong.json.error, 'X-Acme-Contract must be 2 on webhook.test, got "3"');
  const others = await post(receiver, body, { ...signed, 'X-Service-Contract': '3' });
  t.is(others.status, 200, 'a header of another service is not looked at');
});

test('200-service-name: sender, checker and send speak as the service that they are given', async (t) => {
  const receiver = await receiverOf(t, { name: 'Acme', comment: 'ac' });
  const url = `${receiver.origin}/webhook`;
  const posts = tempDir(t);
  fs.writeFileSync(join(posts, 'bees.md'), '---\ntitle: Bees\n---\nBees.\n');
  const pressmark = async (...args: string[]) => {
    const ended = await run(args, { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: 'https://garden.example' });
    return { ...ended, all: ended.stdout + ended.stderr };
  };

  const unnamed = await pressmark('connect', 'garden', url, '--dir', posts);
  t.is(unnamed.code, 1);
  t.regex(unnamed.all, /X-Acme-Signature is missing, and X-Service-Signature came/);
  const connected = await pressmark('connect', 'garden', url, '--service', 'Acme:ac', '--dir', posts);
  t.is(connected.code, 0, connected.all);
  const published = await pressmark('publish', join(posts, 'bees.md'), '--dir', posts);
  t.is(published.code, 0, published.all);
  const [path = ''] = articleFiles(receiver.dir);
  t.regex(fs.readFileSync(path, 'utf8'), /Bees\.\n\n<!-- ac:item:md-[0-9a-f]{24} -->/);
  fs.appendFileSync(join(posts, 'bees.md'), '\nMore.\n');
  const refreshed = await pressmark(
    'refresh',
    'https://garden.example/articles/bees/',
    join(posts, 'bees.md'),
    '--dir',
    posts,
  );
  t.is(refreshed.code, 0, refreshed.all);
  t.regex(fs.readFileSync(path, 'utf8'), /More\.\n\n<!-- ac:item:md-[0-9a-f]{24} -->/);

  const rules = 'signature-missing,content-item-comment,header-contract-absent';
  const checked = await pressmark('check', 'garden', '--only', rules, '--json', '--dir', posts);
  t.is(checked.code, 0, checked.all);
  t.regex(checked.stdout, /A request without X-Acme-Signature is answered 401/);
  const other = await pressmark(
    'check',
    url,
    '--secret',
    SECRET,
    '--service',
    'Other',
    '--only',
    rules,
    '--dir',
    posts,
  );
  t.is(other.code, 1);
  t.regex(other.all, /X-Acme-Signature is missing, and X-Other-Signature came/);

  const sent = await pressmark('send', 'article.published', '--to', url, '--dir', receiver.dir);
  t.is(sent.code, 0, sent.all);
  t.true(articleFiles(receiver.dir).some((one) => /<!-- ac:item:/.test(fs.readFileSync(one, 'utf8'))));
  const asOther = await pressmark(
    'send',
    'webhook.test',
    '--to',
    url,
    '--service',
    'Other',
    '--dir',
    receiver.dir,
  );
  t.is(asOther.code, 1);
  const impossible = await pressmark(
    'send',
    'webhook.test',
    '--to',
    url,
    '--service',
    'No Name',
    '--dir',
    receiver.dir,
  );
  t.is(impossible.code, 2);
  t.regex(impossible.all, /It must be a word that can stand in a header's name, such as Acme/);
});
