import fs from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import test from 'ava';
import { adminOf } from '../../support/admin.js';
import { ask } from '../../support/ask.js';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { sharedHere } from '../../support/receiver-here.js';
import { signature } from '../../support/signer.js';
import { until } from '../../support/until.js';

// What a browser would not show or do; the jobs on these pages are in test/e2e/admin. The tests are serial: one shows all
// deliveries, and the last replaces the secret.

const FIRST = 'the-first-secret-of-the-service';
const receiver = sharedHere(test, { storeOnly: true, secret: FIRST, env: { PRESSMARK_SECRET: '' } }, (dir) =>
  fs.writeFileSync(join(dir, '.env'), `PRESSMARK_SECRET=${FIRST}\n`),
);
const { dir } = receiver;
const auditLog = () => fs.readFileSync(join(dir, '.pressmark/plugins/admin/audit.jsonl'), 'utf8');

test.serial(
  'a delivery can be downloaded as it came, but for what proves who sent it; of one that is not verified there is a count',
  async (t) => {
    const { post, raw } = receiver();
    const editor = await adminOf(receiver(), { name: 'eve', role: 'editor' });
    const listed = async () => (await editor.get('deliveries')).text;
    await post('article.published', article({ id: 'soil' }));
    await raw('{"unverified":1}', { 'X-Service-Signature': signature('x', FIRST) });
    await until(
      'both are listed',
      async () => /SIGNATURE_MISMATCH/.test(await listed()) && /soil/.test(await listed()),
    );
    const keys = [...(await listed()).matchAll(/deliveries\/one\?key=([\w-]+)/g)].map(([, key]) => key);
    t.is(keys.length, 1);
    const page = (await editor.get(`deliveries/one?key=${keys[0]}`)).text;
    t.regex(page, /x-service-signature<\/dt><dd><span/i);
    t.notRegex(page, /sha256=/);
    const body = await editor.get(`deliveries/body?key=${keys[0]}`);
    t.like(JSON.parse(body.text), { event: 'article.published', data: { id: 'soil' } });
    t.regex(body.headers.get('content-type') ?? '', /^application\/octet-stream/);
    for (const missing of ['deliveries/one', 'deliveries/one?key=x', 'deliveries/body?key=../../etc/passwd'])
      t.is((await editor.get(missing)).status, 404, missing);
  },
);

test.serial(
  'an article with a title and tags of half a megabyte each has short pages, and can be removed and restored',
  async (t) => {
    const { post, find } = receiver();
    const id = 'i'.repeat(5_000);
    const tags = Array.from({ length: 50_000 }, (_, n) => `t${n}`);
    const { json } = await post(
      'article.published',
      article({ id, title: '&'.repeat(300_000), tags, author: 'Longfellow' }),
    );
    const admin = await adminOf(receiver());
    const [, path = ''] =
      /href="\/-\/admin\/(articles\/article[^"]+)"/.exec(
        (await admin.get('articles?author=Longfellow')).text,
      ) ?? [];
    const { text: page } = await admin.get(path.replaceAll('&amp;', '&'));
    t.regex(page, /t99</);
    t.true(page.length < 100_000, `${page.length}`);
    const [, base = ''] = /name="base" value="([^"]+)"/.exec(page) ?? [];
    t.is((await admin.post(path, { do: 'trash', base })).status, 303);
    const { text: trash } = await admin.get('articles/trash');
    t.true(trash.length < 20_000, `${trash.length}`);
    const [, removed = ''] = /name="id" value="([^"]+)"/.exec(trash) ?? [];
    t.is((await admin.post('articles/trash', { do: 'restore', id: removed })).status, 303);
    t.is((await find(json.url)).id, id);
  },
);

const PAGE = { 'Sec-Fetch-Dest': 'document', Connection: 'keep-alive' };

test.serial(
  'pages in which scripts of articles run have another origin than the admin, in windows and in frames',
  async (t) => {
    fs.mkdirSync(join(dir, 'public', 'bees'), { recursive: true });
    fs.writeFileSync(join(dir, 'public', 'bees', 'index.html'), '<script>bees()</script>');
    const { origin, port } = receiver();
    const { cookie } = await adminOf(receiver());
    const [here, there] = [`localhost:${port}`, `127.0.0.1:${port}`];
    const get = (path: string, headers: Record<string, string>) => ask(origin, path, { headers });
    const page = await get('/bees/?a=b', { Host: here, ...PAGE });
    t.is(page.headers.location, `http://${there}/bees/?a=b`);
    t.notRegex(page.text, /bees\(\)/);
    for (const dest of ['iframe', 'object'])
      t.is((await get('/bees/', { Host: here, ...PAGE, 'Sec-Fetch-Dest': dest })).status, 302, dest);
    t.is((await get('/bees/', { Host: here, Accept: 'text/html,*/*' })).status, 302, 'an older browser');
    t.is((await get('/bees/', { Host: there, ...PAGE })).status, 200);
    t.is((await get('/bees/', { Host: here })).status, 200, 'what reads a page and runs nothing');

    const admin = { ...PAGE, Cookie: cookie };
    t.is((await get('/-/admin/', { Host: here, ...admin })).status, 200);
    for (const host of [there, `[::1]:${port}`, `bees.localhost:${port}`]) {
      const led = await get('/-/admin/articles?text=bees', { Host: host, ...admin });
      t.is(led.headers.location, `http://${here}/-/admin/articles?text=bees`, host);
      const headers = { Host: host, ...admin };
      t.is((await ask(origin, '/-/admin/login', { method: 'POST', headers })).status, 404, host);
    }
  },
);

test.serial(
  'audit log: users that commands add and remove are in it, and admins read it on a page',
  async (t) => {
    const admin = await adminOf(receiver(), { name: 'cy' });
    for (const words of [
      ['add', 'bo', '--role', 'admin'],
      ['remove', 'bo'],
    ])
      t.is((await runHere(['admin', ...words, '--dir', dir])).code, 0);
    const records = auditLog().trimEnd().split('\n').slice(-2);
    t.like(
      records.map((line) => JSON.parse(line)),
      [
        { from: 'terminal', what: 'users:add', about: 'bo admin' },
        { from: 'terminal', what: 'users:remove', about: 'bo' },
      ],
    );
    const { text } = await admin.get('users/log');
    t.regex(text, /users:remove[\s\S]*users:add[\s\S]*bo admin/);
    t.regex(text, /<time datetime="\d{4}-[^"]+Z" title="[^"]+">[^<]+<\/time>/);
  },
);

test.serial(
  'setup page: a secret that cannot be one, and a form that is sent again, replace none; the audit log has none',
  async (t) => {
    const admin = await adminOf(receiver());
    const { text } = await admin.get('setup');
    t.false(text.includes(FIRST));
    const baseIn = (page: string) => /name="base" value="([^"]*)"/.exec(page)?.[1] ?? '';
    const renew = (base: string, secret = '') => admin.post('setup', { do: 'renew', base, secret });
    const made = await renew(baseIn(text));
    t.is(made.status, 200);
    const secretNow = () => parseEnv(fs.readFileSync(join(dir, '.env'), 'utf8')).PRESSMARK_SECRET ?? '';
    const secret = secretNow();
    const refused = await renew(baseIn(made.text), 'short');
    t.is(refused.status, 422);
    t.regex(refused.text, /8 to 200/);
    t.is((await renew(baseIn(text))).status, 409, 'the form is sent again');
    t.is(secretNow(), secret);
    const { post } = receiver();
    t.is((await post('article.published', article(), { secret: 'another-secret' })).status, 401);
    t.regex(auditLog(), /"what":"setup:renew"/);
    const reasons = [...auditLog().matchAll(/"what":"setup:renew".*"refused":"([^"]*)"/g)].map(
      ([, why]) => why,
    );
    t.deepEqual(reasons, ['answered 422', 'answered 409'], 'the one that was done is not called refused');
    t.false(auditLog().includes(secret));
  },
);
