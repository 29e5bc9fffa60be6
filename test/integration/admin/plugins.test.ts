import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { adminOf } from '../../support/admin.js';
import { article } from '../../support/events.js';
import { sharedHere, startHere } from '../../support/receiver-here.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';

/** Whatever it is shown in, this must stay text. */
const HOSTILE = '"><script>alert(1)</script>';

const PLUGIN = `import fs from 'node:fs';
const jsonSchema = { type: 'object', properties: {
  limit: { type: 'integer', title: ${JSON.stringify(HOSTILE)}, description: ${JSON.stringify(HOSTILE)} },
  tags: { type: 'array', items: { type: 'string' } },
  mood: { enum: ['calm', ${JSON.stringify(HOSTILE)}], default: 'calm' },
  isLoud: { type: 'boolean' },
  ['__proto__']: { type: 'string' },
} };
const validate = (value) => Object.hasOwn(value, 'limit') && value.limit > 10
  ? { issues: [{ message: 'must be at most 10', path: ['limit'] }] }
  : { value };
export default { name: 'desk', version: '1.2.3',
  options: { '~standard': { version: 1, vendor: 'mine', validate, jsonSchema: { input: () => jsonSchema } } },
  receiver(host) {
    fs.writeFileSync(host.paths.site + '/options', JSON.stringify(host.options));
    host.admin.page({ path: 'mine', title: 'Mine ' + ${JSON.stringify(HOSTILE)}, role: 'editor', render: ({ user, query }) => '<p id="mine">' + user.name + query.get('n') + '</p>' });
    host.admin.page({ path: 'broken', title: 'Broken', render() { throw new Error('no ' + ${JSON.stringify(HOSTILE)}); } });
    host.adapter({ path: '/in', verify: () => true, receive: () => ({ id: 'in-1', title: 'In', contentHtml: '<p>In.</p>' }) });
    host.admin.widget({ title: 'Widget', render: () => '<b id="widget">7</b>' });
    host.admin.action({ name: 'tidy', label: 'Tidy', on: 'plugin', run: ({ user }) => user.name + ' has tidied ' + ${JSON.stringify(HOSTILE)} });
    host.admin.action({ name: 'greet', label: 'Greet', on: 'article', run: ({ article }) => { throw new Error('no greeting for ' + article); } });
  },
};`;

const receiver = sharedHere(test, { config: { site: false } }, (dir) => {
  execFileSync('git', ['init', '--quiet'], { cwd: withPlugins(dir, { desk: PLUGIN }) });
});
const { dir } = receiver;

test.serial(
  'plugins page: the pages, parts and buttons of a plugin are there for those who may, and its faults are its own',
  async (t) => {
    const admin = await adminOf(receiver());
    t.true((await admin.get('added/desk/mine?n=3')).text.includes('<p id="mine">ada3</p>'));
    const broken = await admin.get('added/desk/broken');
    t.is(broken.status, 200);
    t.regex(broken.text, /The plugin desk failed here: no /);
    t.false(broken.text.includes('<script>alert'));
    const tidied = await admin.post('press', {
      do: 'press',
      plugin: 'desk',
      action: 'tidy',
      back: 'plugins',
    });
    t.is(tidied.status, 303);
    t.is(tidied.headers.get('location'), '/-/admin/plugins');
    const [flash = ''] = (
      tidied.headers.getSetCookie().find((one) => one.startsWith('pressmark-flash')) ?? ''
    ).split(';');
    const after = await admin.get('plugins', { Cookie: `${admin.cookie}; ${flash}` });
    t.regex(after.text, /Tidy: ada has tidied /);
    t.false(after.text.includes('<script>alert'));
    const { json } = await receiver().post('article.published', article());
    for (const back of ['//evil.example', 'plugins?\u{fffd}']) {
      const greeted = await admin.post('press', {
        do: 'press',
        plugin: 'desk',
        action: 'greet',
        article: json.id,
        back,
      });
      t.is(greeted.headers.get('location'), '/-/admin/');
    }
    for (const fields of [
      { plugin: 'desk', action: 'none' },
      { plugin: 'desk', action: 'greet', article: 'none' },
    ])
      t.is((await admin.post('press', { do: 'press', ...fields })).status, 404);

    const editor = await adminOf(receiver(), { name: 'bo', role: 'editor' });
    t.is((await editor.get('added/desk/mine?n=3')).status, 200);
    t.is((await editor.get('added/desk/broken')).status, 403);
    const tidy = { do: 'press', plugin: 'desk', action: 'tidy' };
    t.is((await editor.post('press', tidy)).status, 403);
  },
);

// Last, as it ends the receiver of this file.
test.serial(
  'a request to an adapter, which has no event, is listed under the name of its plugin',
  async (t) => {
    const admin = await adminOf(receiver());
    t.is((await fetch(`${receiver().origin}/in`, { method: 'POST' })).status, 200);
    const keyOf = ({ text }: { text: string }) => /deliveries\/one\?key=([\w-]+)">desk<\/a>/.exec(text)?.[1];
    await until('it is listed', async () => keyOf(await admin.get('deliveries')) !== undefined);
    const { text } = await admin.get(`deliveries/one?key=${keyOf(await admin.get('deliveries'))}`);
    t.regex(text, /<dt>Event<\/dt><dd>desk<\/dd>/);
  },
);

test.serial(
  'plugin settings: a form is saved by the one who is logged in, after a restart it counts, and of two the second is shown both',
  async (t) => {
    t.is(fs.readFileSync(join(dir, 'options'), 'utf8'), '{}');
    const ada = await adminOf(receiver());
    const eve = await adminOf(receiver(), { name: 'eve' });
    const path = 'plugins/settings?plugin=desk';
    const form = await ada.get(path);
    t.false(form.text.includes('<script>alert'));
    const baseOf = (text: string) => /name="base" value="([^"]*)"/.exec(text)?.[1] ?? '';
    const base = baseOf(form.text);
    const fields = {
      do: 'save',
      base,
      o0: '7',
      o1: 'a\r\nb',
      o2: JSON.stringify(HOSTILE),
      o3: 'true',
      o4: 'x',
    };
    const ofOtherSession = await ada.post(path, { ...fields, token: '', o4: 'entered' });
    t.is(ofOtherSession.status, 403);
    t.true(ofOtherSession.text.includes('value="entered"'));
    for (const o0 of ['70', 'many']) t.is((await ada.post(path, { ...fields, o0 })).status, 422);
    t.false(fs.existsSync(join(dir, 'pressmark.settings.json')));
    t.is((await ada.post(path, fields)).status, 303);
    const second = await eve.post(path, { ...fields, o0: '9' });
    t.is(second.status, 409);
    t.regex(second.text, /Saved by somebody else in the meantime/);
    t.true(second.text.includes('value="9"'));
    t.regex(second.text, /Settings have changed/);
    t.is((await eve.post(path, { ...fields, base: baseOf(second.text), o0: '9' })).status, 303);
    const { desk } = JSON.parse(fs.readFileSync(join(dir, 'pressmark.settings.json'), 'utf8')).plugins;
    t.deepEqual(Object.entries(desk), [
      ['limit', 9],
      ['tags', ['a', 'b']],
      ['mood', HOSTILE],
      ['isLoud', true],
      ['__proto__', 'x'],
    ]);
    t.is(
      execFileSync('git', ['log', '--format=%an %s', '--', 'pressmark.settings.json'], {
        cwd: dir,
        encoding: 'utf8',
      }),
      'eve Settings: desk\nada Settings: desk\n',
    );
    await receiver().close();
    const next = await startHere(t, { dir });
    t.deepEqual(JSON.parse(fs.readFileSync(join(dir, 'options'), 'utf8')), desk);
    const again = await adminOf(next, { name: 'ada' });
    t.notRegex((await again.get(path)).text, /Settings have changed/);
    t.is((await again.get('plugins/settings?plugin=none')).status, 404);
  },
);
