import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import * as z from 'zod';
import { PressmarkError } from '../../../src/errors.js';
import type { HandedOver } from '../../../src/host/articles/articles.js';
import { type HostContext, type PluginLimits, startHost } from '../../../src/host/host.js';
import { createJobs } from '../../../src/host/jobs/jobs.js';
import { definePlugin, type Plugin, type PluginEntry, type ReceiverHost } from '../../../src/host/plugin.js';
import { pluginRunning } from '../../../src/host/plugin-code.js';
import { createLog } from '../../../src/log.js';
import { hostSite } from '../../support/host-site.js';
import { tempDir } from '../../support/temp-dir.js';

const around: HostContext = {
  face: 'receiver',
  ...hostSite('/nowhere'),
  log: pino({ level: 'silent' }),
  articles: { get: async () => undefined, find: async () => undefined, ids: () => [] },
  taken: new Map([
    ['/webhook', 'the webhook'],
    ['/articles/:slug', 'the articles'],
  ]),
};

const LIMITS: PluginLimits = { setupMs: 60_000, activateMs: 60_000, closingMs: 60_000, disposeMs: 60_000 };

const nothing = () => undefined;

function entry(plugin: Plugin<never> | unknown, options?: unknown): PluginEntry {
  return { plugin: plugin as Plugin, origin: 'plugins/x.js', ...(options !== undefined && { options }) };
}

function named(name: string, order: string[], requires?: Record<string, string>): PluginEntry {
  return entry({ name, receiver: () => void order.push(name), ...(requires && { requires }) });
}

test('plugins are set up in their order, each after those it requires, and closed the other way round', async (t) => {
  const order: string[] = [];
  const closed: string[] = [];
  const closing = definePlugin({
    name: 'b',
    requires: { d: '*', c: '*' },
    receiver: (host) => {
      order.push('b');
      host.onClose(() => closed.push('b first'));
      host.onClose(() => {
        closed.push('b last');
        throw new Error('broken');
      });
    },
  });
  const host = await startHost(
    [named('a', order), entry(closing), named('c', order, { d: '*' }), named('d', order)],
    around,
  );
  t.deepEqual(order, ['a', 'd', 'c', 'b']);
  await host.close();
  t.deepEqual(closed, ['b last', 'b first']);
});

test('where a plugin fails in its set-up, or never ends it, it is named, and those that were set up before it are closed', async (t) => {
  const unreachable = new PressmarkError('UNREACHABLE', 'there is no answer');
  const never = () => new Promise<never>(nothing);
  const schema = (validate: () => unknown) => ({
    receiver: nothing,
    options: { '~standard': { version: 1, vendor: 'own', validate } },
  });
  for (const [parts, message] of [
    [{ receiver: () => Promise.reject(new Error('no key')) }, /^plugin broken .*no key/],
    [{ receiver: () => Promise.reject(unreachable) }, /^plugin broken .*there is no answer/],
    [
      { receiver: never },
      'plugin broken (plugins/x.js) is not set up after 0.02 s; its receiver(host) must resolve sooner',
    ],
    [schema(() => Promise.reject(new Error('no table'))), /^plugin broken .*no table/],
    [schema(nothing), /^plugin broken /],
    [schema(never), /^plugin broken .* is not set up after 0.02 s; its options must be checked sooner/],
  ] as const) {
    const closed: string[] = [];
    const closing = (name: string) =>
      entry(definePlugin({ name, receiver: (host) => host.onClose(() => closed.push(name)) }));
    const entries = [closing('a'), closing('b'), entry({ name: 'broken', ...parts }), closing('c')];
    await t.throwsAsync(startHost(entries, around, { ...LIMITS, setupMs: 20 }), {
      code: 'PLUGIN_INVALID',
      message,
    });
    t.deepEqual(closed, ['b', 'a']);
  }
});

test('what never ends at the close is left behind and named, and keeps no other disposer from its work', async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  let isDisposed = false;
  let end: () => void = nothing;
  const plugin = definePlugin({
    name: 'stuck',
    receiver(host) {
      host.addAction('host.closing', () => new Promise<void>((resolve) => (end = resolve)));
      host.onClose(() => new Promise(nothing));
      host.onClose(() => {
        isDisposed = true;
      });
    },
  });
  const limits = { ...LIMITS, closingMs: 1, disposeMs: 1 };
  await (await startHost([entry(plugin)], { ...around, log }, limits)).close();
  t.true(isDisposed);
  t.is(lines.length, 1);
  const msg = 'the plugin has not closed after 1 ms; the receiver stops without it';
  t.like(JSON.parse(lines[0] ?? ''), { plugin: 'stuck', msg });
  end(); // else this process would wait for the time limit of actions
});

/** A plugin in JavaScript, which no compiler checks. */
const unchecked = (
  receiver: (host: Record<'addFilter' | 'adapter', (...given: unknown[]) => void>) => void,
) => entry({ name: 'a', receiver });

const adapterAt = (name: string, path: string, maxBytes = 1) =>
  entry(
    definePlugin({
      name,
      receiver: (host) => host.adapter({ path, maxBytes, verify: () => true, routes: { 'GET /a': () => 1 } }),
    }),
  );

const one = (over: object, options?: unknown) => [entry({ name: 'a', receiver: nothing, ...over }, options)];
const numbers = z.object({ x: z.object({ y: z.number() }) });

test('what a first-party plugin refuses in its set-up is said as it is: it is about the config', async (t) => {
  const refused = new PressmarkError('CONFIG_INVALID', 'git.push.branch must be set');
  const own = entry({ name: 'own', receiver: () => Promise.reject(refused) });
  t.is(await t.throwsAsync(startHost([{ ...own, isFirstParty: true }], around)), refused);
});

test('what is wrong with plugins is refused in words that name them', async (t) => {
  const cases: [entries: PluginEntry[], words: RegExp][] = [
    [one({ requires: { z: '*' } }), /plugin a .*requires "z", which is not there/],
    [
      [...one({ requires: { b: '*' } }), entry({ name: 'b', receiver: nothing, requires: { a: '*' } })],
      /a -> b -> a/,
    ],
    [
      [...one({ requires: { b: '^2.1' } }), entry({ name: 'b', version: '2.0.9', receiver: nothing })],
      /plugin a .*requires "b" \^2\.1, and plugins\/x\.js is 2\.0\.9/,
    ],
    [one({ requires: { pressmark: '>=99' } }), /requires "pressmark" >=99, and this is \d/],
    [one({ requires: { b: 'new' } }), /it requires b "new", which is not a range/],
    [one({ requires: ['b'] }), /not an object/],
    [[...one({}), ...one({})], /two plugins are named "a": plugins\/x\.js and plugins\/x\.js/],
    [[entry(undefined)], /plugins\/x\.js is not a plugin: it has no default export/],
    [[entry(null)], /it has no default export/],
    [[entry(() => undefined)], /its default export is a function; export default definePlugin/],
    [one({ name: 'A b' }), /its name is "A b"/],
    [[entry({ name: 'a' })], /neither receiver\(host\) nor pages\(host\)/],
    [one({ page: nothing }), /it has the unknown key "page"; did you mean pages\?; its keys are name, /],
    [one({ pages: 7 }), /its pages is not a function/],
    [one({ version: 'new' }), /its version is "new"/],
    [one({ hooks: { actions: ['b.sent'] } }), /its hook "b\.sent" must begin with "a\."/],
    [
      one({ hooks: { action: ['a.sent'] } }),
      /its hooks: it has the unknown key "action"; did you mean actions\?;/,
    ],
    [
      one({ commands: [{ name: 'b', description: 'c', run: nothing, option: {} }] }),
      /its command b: it has the unknown key "option"; did you mean options\?;/,
    ],
    [
      [unchecked((host) => host.addFilter('article.slug', nothing, { priorty: 5 }))],
      /the options of its handler of article\.slug: it has the unknown key "priorty"; did you mean priority\?;/,
    ],
    [[unchecked((host) => host.addFilter('page.head', nothing))], /"page\.head" is one of pages\(host\)/],
    [
      [unchecked((host) => host.adapter({ path: '/in', verify: () => true, receive: nothing, maxBites: 5 }))],
      /plugin a: its adapter at \/in: it has the unknown key "maxBites"; did you mean maxBytes\?;/,
    ],
    [
      [unchecked((host) => host.adapter({ path: '/in', auth: { secrets: 'X' }, receive: nothing }))],
      /its adapter at \/in: auth: it has the unknown key "secrets"; did you mean secret\?;/,
    ],
    [one({ secrets: ['A_TOKEN'] }), /plugin a .*needs A_TOKEN, which is not set; add it to \.env/],
    [[adapterAt('b', '/webhook/')], /plugin b: .*\/webhook\/, which is that of the webhook/],
    [
      [adapterAt('a', '/taken'), adapterAt('b', '/taken/below')],
      /plugin b: .*that of plugin a \(plugins\/x\.js\)/,
    ],
    [[adapterAt('b', '/articles')], /plugin b: .*that of the articles/],
    [[adapterAt('b', '/-/a/x')], /plugin b: .*\/-\/ and what is below are those of routes/],
    [[adapterAt('b', '/*')], /the path "\/\*"; write one path/],
    [[adapterAt('b', '/')], /the path "\/"; write one path/],
    [[adapterAt('b', '/long', 10_000_001)], /maxBytes "10000001"; it must be an integer from 1 to 10000000/],
    [one({}, { x: 1 }), /plugin a .*takes no options/],
    [one({ options: { x: 'text' } }), /its options are no Standard Schema/],
    [
      one({ commands: ['b', 'b'].map((name) => ({ name, description: 'c', run: nothing })) }),
      /it has two commands b/,
    ],
    [one({ options: numbers }, { x: {} }), /plugin a .*options are wrong: x\.y: Invalid input/],
  ];
  for (const [entries, message] of cases) await t.throwsAsync(startHost(entries, around), { message });
});

test('an output whose path is taken, or is none, or that has a key that there is not, is refused', async (t) => {
  for (const output of [
    { path: 'fine.txt', path_: 'x' },
    ...['', '/a.txt', '../a.txt', '.hidden', 'feed.xml', 'tags/', 'LLMS.txt', 7].map((path) => ({ path })),
  ]) {
    const plugin = definePlugin({
      name: 'a',
      pages: (host) => {
        for (const one of [{ path: 'llms.txt' }, output as { path: string }])
          host.addOutput({ ...one, render: () => '' });
      },
    });
    await t.throwsAsync(
      startHost([entry(plugin)], { ...around, face: 'pages' }),
      { code: 'PLUGIN_INVALID', message: /plugin a: / },
      String(output.path),
    );
  }
});

test('a plugin gets the values of its secrets, and neither the log, a finding nor a page shows them', async (t) => {
  const file = join(tempDir(t), 'log');
  const log = createLog({ level: 'info', terminal: false, fd: fs.openSync(file, 'w'), atOnce: true });
  const plugin = definePlugin({
    name: 'talkative',
    secrets: ['A_TOKEN'],
    receiver(host) {
      const words = `Bearer ${host.secrets.A_TOKEN}`;
      host.log.info({ headers: [words], config: { secrets: ['of-the-service'] } }, 'asked');
      host.health(() => ({ level: 'warn', text: words, fix: words }));
      host.health(() => Promise.reject(new Error(words)));
      host.admin.page({ path: 'shown', title: 'Shown', render: () => words });
      host.admin.page({ path: 'failed', title: 'Failed', render: () => Promise.reject(new Error(words)) });
    },
  });
  const environment = { A_TOKEN: 'quoted "and" long', OTHER: 'x' };
  const host = await startHost([entry(plugin)], { ...around, log, environment });
  const line = fs.readFileSync(file, 'utf8');
  t.like(JSON.parse(line), { headers: ['Bearer [redacted]'], msg: 'asked' });
  t.notRegex(line, /of-the-service/);
  const request = { user: { name: 'ada', role: 'admin' }, query: new URLSearchParams() } as const;
  const pages = await Promise.all(host.admin.pages.map((page) => page.render(request)));
  const shown = JSON.stringify([await host.findings(), pages]);
  t.is(shown.split('Bearer [redacted]').length - 1, 5, shown);
  t.false(shown.includes('and'), shown);
});

test('a plugin does the hooks that it declares, others act upon them, and a handler can be removed', async (t) => {
  const seen: unknown[] = [];
  const sent = 'announce.sent' as 'host.ready'; // plugins in TypeScript declare its type
  const announce = definePlugin({
    name: 'announce',
    hooks: { actions: [sent] },
    receiver: (host) => host.addAction('host.ready', () => host.doAction(sent, { url: 'a' })),
  });
  let removed: (() => void)[] = [];
  const shout = (text: string) => `${text}!`;
  const listener = definePlugin({
    name: 'listener',
    receiver: (host) => {
      host.addAction(sent, (payload) => seen.push(payload));
      const remove = host.addFilter('article.slug', (slug) => `${slug}-1`);
      host.addFilter('article.slug', shout);
      removed = [remove, () => t.true(host.removeFilter('article.slug', shout))];
    },
  });
  const { hooks } = await startHost([entry(listener), entry(announce)], around);
  await hooks.doAction('host.ready', { url: '' });
  t.deepEqual(seen, [{ url: 'a' }]);
  t.is(hooks.didAction(sent), 1);
  const apply = () => hooks.applyFilters('article.slug', 'a', {} as never);
  const values = [await apply()];
  for (const remove of removed) {
    remove();
    values.push(await apply());
  }
  t.deepEqual(values, ['a-1!', 'a!', 'a']);
  t.false(hooks.hasFilter('article.slug'));
});

test('a function that a plugin hands to the host runs as code of the plugin', async (t) => {
  const seen: unknown[] = [];
  const plugin = definePlugin({
    name: 'mender',
    receiver: async ({ articles }) => {
      await articles.change('a', (article) => {
        seen.push(pluginRunning());
        return article;
      });
    },
  });
  const change = async (_id: string, make: (article: HandedOver) => unknown) => {
    seen.push(pluginRunning());
    await make({} as HandedOver);
    return { id: 'a', url: '', outcome: 'updated' } as const;
  };
  await startHost([entry(plugin)], { ...around, articles: { ...around.articles, change } });
  t.deepEqual(seen, [undefined, 'mender']);
});

test('a plugin is activated once for each version, after its receiver; one that fails is activated at the next start', async (t) => {
  const dir = tempDir(t);
  const calls: string[] = [];
  const start = async (version: string | undefined, isInService = true, error?: string) => {
    const plugin = definePlugin({
      name: 'counter',
      ...(version !== undefined && { version }),
      receiver: () => void calls.push('receiver'),
      async activate(host, { previous }) {
        if (error !== undefined) throw new Error(error);
        await host.storage.set('since', 1);
        calls.push(`from ${previous}`);
      },
    });
    const jobs = createJobs({ folder: join(dir, 'jobs'), log: around.log });
    const host = await startHost([entry(plugin)], {
      ...around,
      stateDir: dir,
      ...(isInService && { jobs }),
    });
    await host.close();
    return calls.splice(0);
  };
  t.deepEqual(await start('1.0.0', false), ['receiver'], 'not by doctor');
  await t.throwsAsync(start('1.0.0', true, 'no room'), {
    message: 'plugin counter (plugins/x.js) could not be activated: no room',
  });
  calls.splice(0);
  t.deepEqual(await start('1.0.0'), ['receiver', 'from undefined']);
  t.deepEqual(await start('1.0.0'), ['receiver']);
  t.deepEqual(await start('1.1.0'), ['receiver', 'from 1.0.0']);
  t.deepEqual(await start(undefined), ['receiver', 'from 1.1.0']);
  t.deepEqual(await start(undefined), ['receiver']);
  const both = (await Promise.all([start('2.0.0'), start('2.0.0')])).flat();
  t.deepEqual(both.toSorted(), ['from undefined', 'receiver', 'receiver'], 'two receivers on the folder');
});

test('a plugin uses what another one provides; what nobody or somebody else provides is refused', async (t) => {
  const start = (...plugins: Plugin[]) =>
    startHost(
      plugins.map((plugin) => entry(plugin)),
      around,
    );
  let used: unknown;
  const provider = definePlugin({ name: 'one', receiver: (host) => host.provide('one.sum', 3) });
  const receiver = (host: ReceiverHost) => {
    used = host.use('one.sum');
  };
  const host = await start(definePlugin({ name: 'two', requires: { one: '*' }, receiver }), provider);
  t.is(used, 3);
  await host.close();
  await t.throwsAsync(start(definePlugin({ name: 'two', receiver }), provider), {
    message:
      /plugin two uses "one\.sum", which no plugin has provided; if another plugin does, name it in requires/,
  });
  const rival = definePlugin({ name: 'two', receiver: (host) => host.provide('one.sum', 4) });
  await t.throwsAsync(start(provider, rival), {
    message: /plugin two provides "one\.sum", as plugin one does/,
  });
});

test('what is added after the start is refused', async (t) => {
  let late: (() => void)[] = [];
  const plugin = definePlugin({
    name: 'late',
    receiver(host) {
      late = [
        () => host.addAction('host.ready', nothing),
        () => host.job('hook', { on: 'article.live', run: nothing }),
        () => host.cron('hook', { at: '0 3 * * *', run: nothing }),
      ];
    },
  });
  await startHost([entry(plugin)], around);
  for (const add of late) t.throws(add, { message: /plugin late adds .+ after the start/ });
});

test('a secret that is empty or short, or is no list of what auth needs, is refused at the start', async (t) => {
  const start = (value: string, kind: 'basic' | 'bearer') => {
    const plugin = definePlugin({
      name: 'door',
      secrets: ['DOOR_KEYS'],
      receiver: (host) =>
        host.adapter({ path: '/door', auth: { kind, secret: 'DOOR_KEYS' }, routes: { 'POST /': () => 1 } }),
    });
    return startHost([entry(plugin)], { ...around, environment: { DOOR_KEYS: value } });
  };
  for (const [value, kind, words] of [
    ['          ', 'bearer', /needs DOOR_KEYS of 8 characters or more/],
    ['one-two', 'bearer', /needs DOOR_KEYS of 8 characters or more/],
    ['one-token,one two', 'bearer', /needs a token in DOOR_KEYS/],
    ['ada-and-bo', 'basic', /needs name:password in DOOR_KEYS/],
    ['ada-and-bo:seven-7', 'basic', /needs name:password in DOOR_KEYS/],
  ] as const)
    await t.throwsAsync(start(value, kind), { code: 'PLUGIN_INVALID', message: words }, value);
  await (await start('ada:abcd EFGH, bo:ijkl MNOP', 'basic')).close();
  await (await start('one-token create update,two-token', 'bearer')).close();
});
