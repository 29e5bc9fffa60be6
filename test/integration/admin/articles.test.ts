import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openAudit } from '../../../src/admin/audit.js';
import { pluginFolder } from '../../../src/host/host.js';
import { openStorage } from '../../../src/host/storage.js';
import { type AdminAnswer, type AdminClient, addUser, adminOf, sendForm } from '../../support/admin.js';
import { fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { sharedHere } from '../../support/receiver-here.js';
import { until } from '../../support/until.js';

// The jobs of an editor, step by step, are in test/e2e/admin/articles; here is what a browser would not show or do.

const receiver = sharedHere(test, { config: { git: false, site: { search: false } } });
const { dir } = receiver;
let ada: AdminClient;
let bo: AdminClient;

test.serial.before(async () => {
  ada = await adminOf(receiver(), { name: 'Ada', role: 'editor' });
  bo = await adminOf(receiver(), { name: 'Bo', role: 'editor' });
});

const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

/** What stands in a field of a page's form. */
function valueIn({ text }: AdminAnswer, name: string): string {
  const [, input, area] =
    new RegExp(`name="${name}"[^>]*value="([^"]*)"|name="${name}"[^>]*>\\n?([^<]*)</textarea>`).exec(text) ??
    [];
  return (input ?? area ?? '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** The fields of an article's form, as a browser would send them. */
async function formOf(admin: AdminClient, id: string): Promise<Record<string, string>> {
  const page = await admin.get(`articles/edit?${query({ id })}`);
  const names = ['base', 'title', 'description', 'tags', 'author', 'image', 'body'];
  return Object.fromEntries(names.map((name) => [name, valueIn(page, name)]));
}

/** Publishes an article. */
async function published(over: Parameters<typeof article>[0] = {}) {
  const data = article(over);
  const { url } = (await receiver().post('article.published', data)).json;
  return { data, id: data.id, url };
}

test.serial(
  'articles in the admin: where a delivery and another person came first, both texts are shown, nothing is overwritten, and what was typed is kept',
  async (t) => {
    const { id, url } = await published();
    const { revision_id: base_revision_id } = await receiver().find(url);
    const [ofAda, ofBo] = [await formOf(ada, id), await formOf(bo, id)];
    const request = update({ target_id: id, target_url: url, base_revision_id });
    t.is((await receiver().post('article.updated', request)).status, 200);
    const path = `articles/edit?${query({ id })}`;
    const told = await ada.post(path, { ...ofAda, do: 'save', body: 'Ada’s own words.' });
    t.is(told.status, 409);
    t.true(told.text.includes(`Rewritten as ${request.id}.`), 'what has come');
    t.is(valueIn(told, 'body'), 'Ada’s own words.');
    t.is(valueIn(told, 'base'), request.id, 'saving once more is meant');
    t.is((await receiver().find(url)).revision_id, request.id);

    const mine = { ...ofAda, do: 'save', body: 'Ada’s own words.', base: request.id };
    t.is((await ada.post(path, mine)).status, 303);
    const back = { do: 'revert', revision: request.id, base: base_revision_id };
    await bo.post(`articles/article?${query({ id })}`, back);
    t.regex((await receiver().find(url)).content_html, /Ada’s own words/, 'nothing is put back over it');
    const toldToo = await bo.post(path, { ...ofBo, do: 'save', body: 'Bo’s own words.' });
    t.is(toldToo.status, 409);
    t.true(toldToo.text.includes('Ada’s own words.'));
    t.is(valueIn(toldToo, 'body'), 'Bo’s own words.');
  },
);

test.serial(
  'articles in the admin: where a field, the disk or the file does not allow it, nothing is done, and what was typed is kept',
  async (t) => {
    const { id } = await published();
    const form = await formOf(ada, id);
    const path = `articles/edit?${query({ id })}`;
    const body = 'Typed for an hour.';
    const kept = async (action: string, status: number, reason: RegExp, over: object = {}) => {
      const told = await ada.post(path, { ...form, do: action, body, ...over });
      t.is(told.status, status);
      t.regex(told.text, reason);
      t.deepEqual([valueIn(told, 'body'), valueIn(told, 'base')], [body, form.base]);
    };
    await kept('save', 422, /no address/, { image: 'no address' });
    const audit = join(dir, '.pressmark/plugins/admin/audit.jsonl');
    fs.rmSync(audit, { force: true });
    fs.mkdirSync(audit); // in the way of the file, as a full disk is
    await kept('save', 500, /the audit log cannot be written \(EISDIR\)/);
    fs.rmdirSync(audit);
    const file = fileOf(dir, id);
    const text = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, text.replace('---\n', '---\nbroken: [\n'));
    for (const action of ['save', 'preview']) await kept(action, 404, /is malformed, line 4/);
    fs.writeFileSync(file, text);
    t.is((await ada.post(path, { ...form, do: 'save', body })).status, 303);
  },
);

test.serial(
  'articles in the admin: where the session has ended, the form is refused; after a login it comes back with what was typed, and is saved then alone',
  async (t) => {
    const { id, url } = await published();
    const path = `articles/edit?${query({ id })}`;
    await addUser(dir, 'Cleo', 'a hive of twelve bees');
    const opened = await formOf(ada, id);
    const form = { ...opened, body: 'Typed for an hour,\n"twice" & <more>.', do: 'save' };
    const send = (Cookie: string) =>
      sendForm(receiver().origin, path, { ...form, token: 'of before' } as never, { Cookie });
    const told = await send('pressmark-session=over');
    t.is(told.status, 403);
    t.regex(told.text, /Log in in another tab, then reload this page/);

    const login = { name: 'Cleo', password: 'a hive of twelve bees' };
    const { headers } = await sendForm(receiver().origin, 'login', login);
    const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    const back = await send(cookies.join('; ')); // as a browser does that loads the page again
    t.is(valueIn(back, 'body'), form.body);
    t.is(valueIn(back, 'base'), opened.base ?? '');
    t.notRegex((await receiver().find(url)).content_html, /Typed/);
    const token = valueIn(back, 'token');
    const Cookie = cookies.join('; ');
    t.is((await sendForm(receiver().origin, path, { ...form, token } as never, { Cookie })).status, 303);
    t.regex((await receiver().find(url)).content_html, /Typed for an hour/);
  },
);

test.serial(
  'articles in the admin: a new article is stored once, as held as it was meant, however often its form is sent',
  async (t) => {
    const page = await ada.get('articles/new');
    const form = { title: 'Twice sent', tags: '', author: 'Ada', body: 'Of bees.', state: 'held' };
    const fields = { ...form, key: valueIn(page, 'key') };
    const shown = await ada.post('articles/new', { ...fields, do: 'preview' });
    t.is(valueIn(shown, 'key'), fields.key);
    t.regex(shown.text, /value="held" checked/);
    const sent = async (over: object = {}) => ada.post('articles/new', { ...fields, do: 'create', ...over });
    const [first, second] = [await sent(), await sent()];
    t.is(first.status, 303);
    t.is(second.headers.get('location'), first.headers.get('location'));
    const told = await sent({ body: 'Of other bees.' });
    t.is(told.status, 409);
    t.is(valueIn(told, 'body'), 'Of other bees.');
    t.true(told.text.includes(`action="/-/admin/articles/edit?id=admin-${fields.key}"`), 'it is an edit now');
    const mine = { ...fields, do: 'save', base: valueIn(told, 'base'), body: 'Of other bees.' };
    t.is((await ada.post(`articles/edit?id=admin-${fields.key}`, mine)).status, 303);
  },
);

test.serial(
  'articles in the admin: a preview is in a frame where no script runs, and stores nothing; a change is in the audit log with the article, and a preview is not',
  async (t) => {
    const { id, url } = await published();
    await until(
      'the page is built',
      async () => (await fetch(`${receiver().origin}${new URL(url).pathname}`)).ok,
    );
    const form = await formOf(ada, id);
    const body = 'Words <script>alert(1)</script>';
    const shown = await ada.post(`articles/edit?${query({ id })}`, { ...form, do: 'preview', body });
    const [, frame = ''] = /<iframe[^>]* sandbox [^>]*src="\/-\/admin\/([^"]+)"/.exec(shown.text) ?? [];
    const preview = await ada.get(frame.replaceAll('&amp;', '&'));
    t.regex(preview.text, /<main[\s\S]*Words/);
    const policy = preview.headers.get('content-security-policy') ?? '';
    t.regex(policy, /default-src 'none'.*; sandbox$/);
    t.notRegex(policy, /script-src|allow-scripts/);
    t.is((await formOf(ada, id)).body, form.body);

    const { last } = openAudit(openStorage('admin', pluginFolder(`${dir}/.pressmark`, 'admin')));
    await ada.post(`articles/edit?${query({ id })}`, { ...form, do: 'save', title: 'Noted' });
    const before = await last(100);
    t.like(before[0], { who: 'Ada', what: 'articles/edit:save', about: id });
    t.is((await ada.post('articles/new', { ...form, do: 'preview' })).status, 200);
    t.deepEqual(await last(100), before);
  },
);

test.serial(
  'articles in the admin: what has come since is not released unread, and a date that no clock shows is refused in words',
  async (t) => {
    const { id, url } = await published();
    const to = `articles/article?${query({ id })}`;
    const change = async (fields: Record<string, string>) => {
      const answer = await ada.post(to, { do: 'state', ...fields });
      const flash = /flash=([^;]*)/.exec(answer.headers.getSetCookie().join())?.[1] ?? '';
      const { cookie } = ada;
      return (await ada.get(to, { Cookie: `${cookie}; pressmark-flash=${flash}` })).text;
    };
    const seen = valueIn(await ada.get(to), 'base');
    t.regex(await change({ state: 'held', base: seen }), /The article is held\./);
    const base_revision_id = valueIn(await ada.get(to), 'base');
    const request = update({ target_id: id, target_url: url, base_revision_id });
    t.is((await receiver().post('article.updated', request)).status, 200);
    t.regex(await change({ state: 'live', base: base_revision_id }), /has changed since you looked at it/);
    t.regex((await ada.get(to)).text, /Held/);
    const base = valueIn(await ada.get(to), 'base');
    t.regex(await change({ state: 'live', base }), /The article is shown\./);
    const now = valueIn(await ada.get(to), 'base');
    const at = '2099-02-31T08:00';
    t.regex(await change({ state: 'expired', base: now, at }), /2099-02-31T08:00.*not a valid date/);
    t.regex(await change({ state: 'expired', base: now, at: '2099-01-01T08:00' }), /until January 1, 2099/);
  },
);

test.serial(
  'articles in the admin: one that has changed since is not moved to the trash; where it was, what was typed comes back as a new one; and only an admin deletes one for good',
  async (t) => {
    const { id, url } = await published();
    const to = `articles/article?${query({ id })}`;
    const { revision_id: base } = await receiver().find(url);
    await ada.post(to, { do: 'trash', base: 'an earlier one' });
    await ada.post(to, { do: 'trash', base, redirect: 'javascript:alert(1)' });
    t.is((await receiver().find(url)).id, id);
    const form = await formOf(ada, id);
    t.is((await ada.post(to, { do: 'trash', base })).headers.get('location'), '/-/admin/articles/trash');
    const told = await bo.post(`articles/edit?${query({ id })}`, { ...form, do: 'save', body: 'Typed.' });
    t.is(told.status, 404);
    t.is(valueIn(told, 'body'), 'Typed.');
    t.true(told.text.includes('action="/-/admin/articles/new"'));
    t.is((await ada.get(to)).status, 404);
    t.is((await bo.post('articles/trash', { do: 'delete', id })).status, 403);
    t.notRegex((await bo.get('articles/trash')).text, /value="delete"/);
    const cy = await adminOf(receiver(), { name: 'Cy', role: 'admin' });
    t.regex((await cy.get('articles/trash')).text, /value="delete"/);
    t.is((await cy.post('articles/trash', { do: 'delete', id })).status, 303);
    t.notRegex((await cy.get('articles/trash')).text, /Keeping bees/);
  },
);
