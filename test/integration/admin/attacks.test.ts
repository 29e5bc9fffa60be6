import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { formTokenOf } from '../../../src/admin/access/sessions.js';
import {
  type AdminAnswer,
  addUser,
  adminOf,
  ask,
  registeredPages,
  sendForm,
  usersOf,
} from '../../support/admin.js';
import { article } from '../../support/events.js';
import { sharedHere, startHere } from '../../support/receiver-here.js';

const receiver = sharedHere(test, { storeOnly: true });

/** Behind a proxy that is on this machine. `fetch` asks for the host `localhost` alone. */
const behindProxy = sharedHere(test, {
  storeOnly: true,
  config: { siteUrl: 'https://example.com', admin: { public: 'https://localhost:8443' } },
});
const HTTPS = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.7' };

const PASSWORD = 'a hive of twelve bees';

/** The cookies that an answer sets, by their names, with their attributes. */
const cookiesIn = (headers: Headers) =>
  new Map(
    headers.getSetCookie().map((cookie) => {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(cookie) ?? [];
      return [name, { value, attributes }];
    }),
  );

/** Asks with a path as it is written: `fetch` would tidy it up. */
function askRaw(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string; location?: string | undefined }> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port, path, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text, location: answer.headers.location }),
      );
    });
    request.on('error', reject);
  });
}

test('session fixation: a login begins another session than the one that the browser was given', async (t) => {
  const { origin, dir } = receiver();
  await addUser(dir, 'victim', PASSWORD);
  const { cookie: given } = await adminOf(receiver(), { name: 'mallory', role: 'editor' });
  const login = await sendForm(origin, 'login', { name: 'victim', password: PASSWORD }, { Cookie: given });
  t.is(login.status, 303);
  const { value = '', attributes = '' } = cookiesIn(login.headers).get('pressmark-session') ?? {};
  t.true(value !== '' && !given.includes(value));
  t.regex(attributes, /; HttpOnly; SameSite=Strict$/);
  t.is((await ask(origin, '', { headers: { Cookie: given } })).status, 303, 'the old one is over');
});

test('a form from another site does nothing, whatever cookies come with it', async (t) => {
  const admin = await adminOf(receiver(), { name: 'ada' });
  const other = await adminOf(receiver(), { name: 'grace' });
  const change = (fields: Record<string, string>, headers: Record<string, string>) =>
    admin.post('account', { do: 'language', language: 'de', ...fields }, headers);
  const language = async () => (await admin.users.find('ada'))?.language;
  for (const [fields, headers] of [
    [{}, { 'Sec-Fetch-Site': 'cross-site' }],
    [{}, { Origin: 'https://evil.example' }],
    [{ token: '' }, { 'Sec-Fetch-Site': 'same-origin' }],
    [{ token: other.token }, { 'Sec-Fetch-Site': 'same-origin' }],
  ] as const) {
    t.is((await change(fields, headers)).status, 403, JSON.stringify([fields, headers]));
  }
  t.is((await admin.get('account?do=language&language=de')).status, 200);
  t.is(await language(), undefined, 'to look at a page changes nothing, either');
  t.is((await change({}, { 'Sec-Fetch-Site': 'same-origin' })).status, 303);
  t.is(await language(), 'de');
  const login = { name: 'ada', password: PASSWORD };
  t.is((await sendForm(receiver().origin, 'login', login, { 'Sec-Fetch-Site': 'cross-site' })).status, 403);
});

test('no spelling of a path leads around the login, or out of the admin', async (t) => {
  await adminOf(receiver());
  const { port } = receiver();
  const headers = { Host: `localhost:${port}` };
  for (const path of [
    '//-/admin/account',
    '/-/admin//account',
    '/-/admin/./account',
    '/-/admin/style.css/../account',
    '/-/admin/login/../account',
    '/-/admin/..%2faccount',
    '/-/%61dmin/account',
    '/-/ADMIN/account',
    '/-/admin/account/',
    '/-/admin/account%00',
    '/-/admin/account;style.css',
    '/-/admin\\account',
    '/-/admin/../../.pressmark/plugins/admin/audit.jsonl',
    '/-/admin/views/layout.eta',
    '/-/admin-x/account',
  ]) {
    const { status, text } = await askRaw(port, path, headers);
    t.true([303, 404].includes(status), `${path}: ${status}`);
    t.notRegex(text, /name="current"|"who"|"frame"/, path);
  }
  const admin = await adminOf(receiver());
  const shown = await askRaw(port, '/-/admin/account', { ...headers, Cookie: admin.cookie });
  t.regex(shown.text, /name="current"/, 'the page that none of them has shown');
});

test('an address for after the login leads nowhere but to a page of the admin', async (t) => {
  const { origin, dir } = receiver();
  await addUser(dir, 'redirected', PASSWORD);
  const target = async (next: string) =>
    (await sendForm(origin, 'login', { name: 'redirected', password: PASSWORD, next })).headers.get(
      'location',
    );
  t.is(await target('account?x=1'), '/-/admin/account?x=1');
  for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', '../webhook'])
    t.is(await target(next), '/-/admin/', next);
});

test('what only an admin may, an editor may not: each page and each form of it', async (t) => {
  const editor = await adminOf(receiver(), { name: 'editor', role: 'editor' });
  const pages = registeredPages();
  let refusals = 0;
  for (const { path, role, actions = {} } of pages) {
    if (role === 'admin') t.is((await editor.get(path)).status, 403, path);
    for (const [name, action] of Object.entries(actions)) {
      if ((action.role ?? role) !== 'admin') continue;
      t.is((await editor.post(path, { do: name, id: 'x' })).status, 403, `${path} ${name}`);
      refusals++;
    }
  }
  await editor.post('account', { do: 'language', language: 'en' });
  const audit = fs.readFileSync(join(receiver().dir, '.pressmark/plugins/admin/audit.jsonl'), 'utf8');
  t.is(audit.split('\n').filter((line) => line.includes('only an admin may do this')).length, refusals);
  for (const name of ['__proto__', 'nothing'])
    t.is((await editor.post('account', { do: name })).status, 404, name);
});

test('a form that arrives slowly does nothing for a user who was removed meanwhile', async (t) => {
  const { port, origin } = receiver();
  const leaving = await adminOf(receiver(), { name: 'leaving' });
  const { token } = leaving;
  const body = new URLSearchParams({ token, do: 'add', name: 'left behind', role: 'admin' }).toString();
  const headers = {
    Host: `localhost:${port}`,
    Connection: 'keep-alive',
    Cookie: leaving.cookie,
    'Content-Type': 'application/x-www-form-urlencoded',
    'Content-Length': body.length,
    Expect: '100-continue',
  };
  const request = http.request({ host: '127.0.0.1', port, path: '/-/admin/users', method: 'POST', headers });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    request.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
  });
  await new Promise((resolve) => request.on('continue', resolve).flushHeaders());
  await ask(origin, 'login'); // by then, the receiver reads the form
  await leaving.users.remove('leaving');
  request.end(body);
  t.is(await answered, 403);
  t.is(await leaving.users.find('left behind'), undefined);
});

test('a wrong name and a wrong password are answered alike', async (t) => {
  const { origin, dir } = receiver();
  await addUser(dir, 'known', PASSWORD);
  const answers = await Promise.all(
    ['known', 'nobody'].map(async (name) => {
      const { status, headers, text } = await sendForm(origin, 'login', { name, password: 'wrong' });
      const seen = [...headers].filter(([header]) => !['date', 'content-length'].includes(header));
      return { status, seen, text: text.replaceAll(`value="${name}"`, 'value="…"') };
    }),
  );
  t.is(answers[0]?.status, 401);
  t.deepEqual(answers[1], answers[0]);
});

test('an open session is no way to find out the password: ten attempts to change it, then one each half minute', async (t) => {
  await addUser(receiver().dir, 'guessed', PASSWORD);
  const thief = await adminOf(receiver(), { name: 'guessed', role: 'editor' });
  const change = (current: string) =>
    thief.post('account', {
      do: 'password',
      current,
      password: 'the words of a thief',
      again: 'the words of a thief',
    });
  const began = performance.now();
  let wrong = 0;
  while (/The current password is wrong/.test((await change(`guess ${wrong}`)).text)) wrong++;
  const halfMinutes = Math.ceil((performance.now() - began) / 30_000);
  t.true(wrong >= 10 && wrong <= 10 + halfMinutes, `${wrong} attempts in ${halfMinutes} half minutes`);
  t.regex((await change(PASSWORD)).text, /Too many attempts/);
});

/**
 * Sends attempts to log in on one connection, each as soon as the one before is answered. Raw bytes: a client would cost
 * more than what is tested.
 *
 * @returns the statuses.
 */
function attempts(port: number, count: number): Promise<number[]> {
  const body = 'name=owner&password=guessed';
  const request = [
    'POST /-/admin/login HTTP/1.1',
    `Host: localhost:${port}`,
    'Connection: keep-alive',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
  return new Promise((resolve, reject) => {
    const statuses: number[] = [];
    let text = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      const [head, status, length] =
        /^HTTP\/1\.1 (\d+) [\s\S]*?^content-length: (\d+)\r\n[\s\S]*?\r\n\r\n/im.exec(text) ?? [];
      if (head === undefined || text.length < head.length + Number(length)) return;
      text = '';
      if (statuses.push(Number(status)) < count) socket.write(request);
      else socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (statuses.length === count) resolve(statuses);
      else reject(new Error(`the connection ended after ${statuses.length} answers`));
    });
  });
}

// Serial, as all receivers of this process have one queue of passwords.
test.serial(
  '10,000 attempts to log in keep no delivery from being answered, and the owner can still log in',
  async (t) => {
    const here = await startHere(t, { storeOnly: true });
    await addUser(here.dir, 'owner', PASSWORD);
    const first = await sendForm(here.origin, 'login', { name: 'owner', password: PASSWORD });
    const known = `pressmark-known=${cookiesIn(first.headers).get('pressmark-known')?.value}`;
    const statuses: number[] = [];
    for (let round = 0; round < 10; round++) {
      const attack = Promise.all(Array.from({ length: 10 }, () => attempts(here.port, 100)));
      const beside = article({ id: `beside-${round}`, slug: `s-${round}` });
      t.is((await here.post('article.published', beside)).status, 200);
      statuses.push(...(await attack).flat());
    }
    t.is(statuses.length, 10_000);
    t.deepEqual([...new Set(statuses)].sort(), [401, 429]);
    const owner = await sendForm(
      here.origin,
      'login',
      { name: 'owner', password: PASSWORD },
      { Cookie: known },
    );
    t.is(owner.status, 303, 'in a browser that is known');
  },
);

test('every answer forbids foreign scripts, frames, caches and robots', async (t) => {
  const admin = await adminOf(receiver());
  const { origin, port } = receiver();
  const paths = ['', 'login', 'welcome?token=x', 'nothing', 'style.css', 'admin.js'];
  const answers = [
    ...(await Promise.all(paths.map((path) => admin.get(path)))),
    await ask(origin, ''),
    await ask(origin, '', { method: 'DELETE' }),
    await ask(origin, '', { headers: { 'X-Forwarded-For': '203.0.113.7' } }),
    await admin.post('account', {}, { 'Sec-Fetch-Site': 'cross-site' }),
  ];
  for (const { headers } of answers) {
    const policy = headers.get('content-security-policy') ?? '';
    t.regex(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    t.regex(policy, /frame-ancestors 'none'/);
    t.notRegex(policy, /unsafe|\*/);
    t.is(headers.get('x-robots-tag'), 'noindex, nofollow');
    t.is(headers.get('x-content-type-options'), 'nosniff');
  }
  t.is((await admin.get('')).headers.get('cache-control'), 'no-store');
  const elsewhere = await askRaw(port, '/-/admin/', { Host: 'rebound.example', Cookie: admin.cookie });
  t.is(elsewhere.status, 403);
  t.regex(elsewhere.text, /answers only browsers on this machine/);
});

test.serial('without a user there is no admin: the path is any other that is missing', async (t) => {
  for (const path of ['', 'login', 'style.css', 'welcome?token=x'])
    t.is((await ask(behindProxy().origin, path, { headers: HTTPS })).status, 404, path);
});

test('a link to set a password is at admin.public, whatever host and port a proxy sends; its cookies are Secure and only this host’s, and one of plain HTTP does not count there', async (t) => {
  const { origin, dir } = behindProxy();
  const { token } = await usersOf(dir).invite('ada', { role: 'admin' });
  const form = { password: PASSWORD, again: PASSWORD };
  const send = (Origin: string) => sendForm(origin, `welcome?token=${token}`, form, { ...HTTPS, Origin });
  t.is((await send('https://evil.example:8443')).status, 403);
  const entered = await send('https://localhost:8443');
  t.is(entered.status, 303);
  const [[name, { value, attributes }] = ['', { value: '', attributes: '' }]] = cookiesIn(entered.headers);
  t.is(name, '__Host-pressmark-session');
  t.is(attributes, '; Path=/; Secure; Max-Age=1209600; HttpOnly; SameSite=Strict');
  const get = (cookie: string, headers: Record<string, string>) =>
    ask(origin, '', { headers: { Cookie: cookie, ...headers } });
  const Cookie = `${name}=${value}`;
  t.is((await get(Cookie, HTTPS)).status, 200);
  t.is((await get(`pressmark-session=${value}`, HTTPS)).status, 303);
  const plain = await get(Cookie, { ...HTTPS, 'X-Forwarded-Proto': 'http' });
  t.is(plain.status, 403);
  t.regex(plain.text, /HTTPS/);
  const add = { do: 'add', name: 'bo', role: 'editor', token: formTokenOf(value) };
  const { text } = await sendForm(origin, 'users', add, { ...HTTPS, Cookie });
  t.regex(text, /value="https:\/\/localhost:8443\/-\/admin\/welcome\?token=/);
});

test('a script in an article is of another host than the admin: at the admin’s there is no page of the site', async (t) => {
  const { port, dir } = behindProxy();
  await usersOf(dir).invite('eve');
  fs.mkdirSync(join(dir, 'public'), { recursive: true });
  fs.writeFileSync(join(dir, 'public/page.html'), '<script src="x.js"></script>');
  const get = async (host: string, path: string) => {
    const { status, location = '' } = await askRaw(port, path, { Host: host, ...HTTPS });
    return `${status} ${location}`.trim();
  };
  t.is(await get('example.com', '/page.html'), '200');
  t.is(await get('example.com', '/-/admin/login'), '403');
  for (const path of ['/page.html', '/-/other/page', '/-/admin-x'])
    t.is(await get('localhost:8443', path), '404', path);
  t.is(await get('localhost:8443', '/'), '302 /-/admin/');
  t.is(await get('localhost:8443', '/-/admin/login'), '200');
});

test('a browser in which the password is changed, or a link is used, has one session: the new one', async (t) => {
  const { origin, dir } = receiver();
  const { token } = await usersOf(dir).invite('changing');
  const see = async (Cookie: string) => (await ask(origin, 'account', { headers: { Cookie } })).status;
  const session = ({ headers }: AdminAnswer) => cookiesIn(headers).get('pressmark-session')?.value ?? '';
  const { cookie } = await adminOf(receiver(), { name: 'before' });
  const form = { password: PASSWORD, again: PASSWORD };
  const welcomed = session(await sendForm(origin, `welcome?token=${token}`, form, { Cookie: cookie }));
  t.is(await see(cookie), 303, 'of the user before');
  const next = { password: 'a swarm of twelve bees', again: 'a swarm of twelve bees' };
  const fields = { do: 'password', current: PASSWORD, ...next, token: formTokenOf(welcomed) };
  const Cookie = `pressmark-session=${welcomed}`;
  const changed = await sendForm(origin, 'account', fields, { Cookie });
  t.is(changed.headers.get('location'), '/-/admin/account');
  t.is(await see(Cookie), 303);
  t.is(await see(`pressmark-session=${session(changed)}`), 200);
  const known = cookiesIn(changed.headers).get('pressmark-known')?.value;
  t.is(known, await usersOf(dir).browserMark('changing'));
});

test('a link from elsewhere, with which no cookie comes, is followed once more by the page itself', async (t) => {
  const { origin } = receiver();
  await adminOf(receiver(), { name: 'ada' });
  const from = (site: string, path = 'account?x=1') =>
    ask(origin, path, { headers: { 'Sec-Fetch-Site': site } });
  const elsewhere = await from('cross-site');
  t.is(elsewhere.status, 200);
  t.is(elsewhere.headers.get('refresh'), '0; url=/-/admin/account?x=1');
  t.notRegex(elsewhere.text, /name="current"/);
  t.is((await from('same-origin')).status, 303);
  t.is((await from('cross-site', 'nothing')).status, 303);
});
