import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import * as z from 'zod';
import { type HostSurroundings, type PluginLimits, startHost } from '../../../src/host/host.js';
import { createJobs } from '../../../src/host/jobs/jobs.js';
import { definePlugin, type Plugin, type PluginEntry, type ReceiverHost } from '../../../src/host/plugin.js';
import { createLog } from '../../../src/log.js';
import { hostSite } from '../../support/host-site.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const around: HostSurroundings = {
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

test('where a plugin cannot be set up, those that were set up before it are closed', async (t) => {
  const closed: string[] = [];
  const closing = (name: string): PluginEntry =>
    entry(definePlugin({ name, receiver: (host) => host.onClose(() => closed.push(name)) }));
  const broken = entry(
    definePlugin({
      name: 'broken',
      receiver: () => {
        throw new Error('no key');
      },
    }),
  );
  await t.throwsAsync(startHost([closing('a'), closing('b'), broken, closing('c')], around), {
    message: /plugin broken .*no key/,
  });
  t.deepEqual(closed, ['b', 'a']);
});

test('a face that never ends is named, and those that were set up before it are closed', async (t) => {
  let isClosed = false;
  const first = definePlugin({
    name: 'first',
    receiver: (host) =>
      host.onClose(() => {
        isClosed = true;
      }),
  });
  const hanging = definePlugin({ name: 'hanging', receiver: () => new Promise<void>(() => undefined) });
  await t.throwsAsync(startHost([entry(first), entry(hanging)], around, { ...LIMITS, setupMs: 20 }), {
    code: 'PLUGIN_INVALID',
    message:
      'plugin hanging (plugins/x.js) is not set up after 0.02 s; its receiver(host) must resolve sooner',
  });
  t.true(isClosed);
});

test('a handler of host.closing that never ends does not keep the disposers from their work', async (t) => {
  let isDisposed = false;
  let endHandler: (() => void) | undefined;
  const plugin = definePlugin({
    name: 'slow',
    receiver: (host) => {
      const unending = new Promise<void>((resolve) => {
        endHandler = resolve;
      });
      host.addAction('host.closing', () => unending);
      host.onClose(() => {
        isDisposed = true;
      });
    },
  });
  await (await startHost([entry(plugin)], around, { ...LIMITS, closingMs: 1, disposeMs: 60_000 })).close();
  t.true(isDisposed, 'the handler is still running');
  endHandler?.();
});

test('a disposer that never ends does not keep the host from closing, and the log names its plugin', async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const plugin = definePlugin({
    name: 'stuck',
    receiver: (host) => host.onClose(() => new Promise(() => undefined)),
  });
  await (await startHost([entry(plugin)], { ...around, log }, { ...LIMITS, disposeMs: 1 })).close();
  t.is(lines.length, 1);
  t.like(JSON.parse(lines[0] ?? ''), {
    plugin: 'stuck',
    msg: 'plugin is not closed after 1 ms; it is left behind',
  });
});

const nothing = () => undefined;

const versioned = (name: string, version: string, requires?: Record<string, string>) =>
  entry({ name, version, receiver: nothing, ...(requires && { requires }) });

const adapterAt = (name: string, path: string, maxBytes = 1) =>
  entry(
    definePlugin({
      name,
      receiver: (host) => host.adapter({ path, maxBytes, verify: () => true, routes: { 'GET /a': () => 1 } }),
    }),
  );

/** A plugin in JavaScript, which no compiler checks. */
const unchecked = (
  receiver: (host: Record<'addFilter' | 'adapter', (...given: unknown[]) => void>) => void,
) => entry({ name: 'a', receiver });

const REFUSED: Record<string, [entries: PluginEntry[], words: RegExp]> = {
  'a plugin that requires a missing plugin': [
    [named('a', [], { z: '*' })],
    /plugin a .*requires "z", which is not there/,
  ],
  'plugins that require one another in a circle': [
    [named('a', [], { b: '*' }), named('b', [], { c: '*' }), named('c', [], { a: '*' })],
    /a -> b -> c -> a/,
  ],
  'a plugin that requires itself': [[named('a', [], { a: '*' })], /a -> a/],
  'a plugin that requires another version': [
    [versioned('a', '1.0.0', { b: '^2.1' }), versioned('b', '2.0.9')],
    /plugin a .*requires "b" \^2\.1, and plugins\/x\.js is 2\.0\.9/,
  ],
  'a plugin that requires a version of one without': [
    [versioned('a', '1.0.0', { b: '1' }), named('b', [])],
    /requires "b" 1, and plugins\/x\.js is without a version/,
  ],
  'a plugin for another Pressmark': [
    [named('a', [], { pressmark: '>=99' })],
    /plugin a .*requires "pressmark" >=99, and this is \d/,
  ],
  'a range that is none': [[named('a', [], { b: 'new' })], /it requires b "new", which is not a range/],
  'a list of required plugins': [[entry({ name: 'a', requires: ['b'], receiver: nothing })], /not an object/],
  'two plugins with one name': [
    [named('a', []), named('a', [])],
    /two plugins are named "a": plugins\/x\.js and plugins\/x\.js/,
  ],
  'a module without a default export': [[entry(undefined)], /plugins\/x\.js is not a plugin/],
  'a plugin without a name': [[entry({ receiver: nothing })], /its name is "undefined"/],
  'a name that no address can hold': [[entry({ name: 'A b', receiver: nothing })], /its name is "A b"/],
  'a plugin without a face': [[entry({ name: 'a' })], /neither receiver\(host\) nor pages\(host\)/],
  'a face that is none': [[entry({ name: 'a', page: nothing })], /it has "page", .*; did you mean pages\?/],
  'a face that is no function': [[entry({ name: 'a', pages: 7 })], /its pages is not a function/],
  'a version that is none': [
    [entry({ name: 'a', version: 'new', receiver: nothing })],
    /its version is "new"/,
  ],
  'a hook with the name of another plugin': [
    [entry({ name: 'a', receiver: nothing, hooks: { actions: ['b.sent'] } })],
    /its hook "b\.sent" must begin with "a\."/,
  ],
  'a key of hooks that there is not': [
    [entry({ name: 'a', receiver: nothing, hooks: { action: ['a.sent'] } })],
    /its hooks: it has "action", and can have actions, filters alone; did you mean actions\?/,
  ],
  'a key of a command that there is not': [
    [entry({ name: 'a', commands: [{ name: 'b', description: 'c', run: nothing, option: {} }] })],
    /its command b: it has "option", .*; did you mean options\?/,
  ],
  'a key of the options of a handler that there is not': [
    [unchecked((host) => host.addFilter('article.slug', nothing, { priorty: 5 }))],
    /plugin a: the options of its handler of article\.slug: it has "priorty", .*; did you mean priority\?/,
  ],
  'a priority that is not among options': [
    [unchecked((host) => host.addFilter('article.slug', nothing, 5))],
    /plugin a: .*handler of article\.slug: write an object with priority/,
  ],
  'a key of an adapter that there is not': [
    [unchecked((host) => host.adapter({ path: '/in', verify: () => true, receive: nothing, maxBites: 5 }))],
    /plugin a: its adapter at \/in: it has "maxBites", .*; did you mean maxBytes\?/,
  ],
  'a key of the auth of an adapter that there is not': [
    [
      unchecked((host) =>
        host.adapter({ path: '/in', auth: { kind: 'basic', secrets: 'X' }, receive: nothing }),
      ),
    ],
    /plugin a: its adapter at \/in: auth: it has "secrets", .*; did you mean secret\?/,
  ],
  'a secret that is not set': [
    [entry({ name: 'a', receiver: nothing, secrets: ['A_TOKEN'] })],
    /plugin a .*needs A_TOKEN, which is not set; add it to \.env/,
  ],
  'a filter of the other face': [
    [
      entry(
        definePlugin({
          name: 'a',
          receiver: (host) => host.addFilter('page.head' as never, nothing as never),
        }),
      ),
    ],
    /the filter "page\.head" is one of pages\(host\); use it there/,
  ],
  'an adapter at a path that is taken': [
    [adapterAt('b', '/webhook/')],
    /plugin b: its adapter has the path \/webhook\/, which is that of the webhook/,
  ],
  'an adapter at the path of another plugin': [
    [adapterAt('a', '/taken'), adapterAt('b', '/taken')],
    /plugin b: .*that of plugin a \(plugins\/x\.js\)/,
  ],
  'an adapter below that of another plugin': [
    [adapterAt('a', '/taken'), adapterAt('b', '/taken/below')],
    /plugin b: .*that of plugin a \(plugins\/x\.js\)/,
  ],
  'an adapter above the articles': [[adapterAt('b', '/articles')], /plugin b: .*that of the articles/],
  'an adapter among the routes of plugins': [
    [adapterAt('b', '/-/a/x')],
    /plugin b: .*\/-\/ and what is below are those of routes/,
  ],
  'an adapter above the routes of plugins': [
    [adapterAt('b', '/-')],
    /plugin b: .*\/-\/ and what is below are those of routes/,
  ],
  'an adapter for everything': [[adapterAt('b', '/*')], /the path "\/\*"; write one path/],
  'an adapter at the top': [[adapterAt('b', '/')], /the path "\/"; write one path/],
  'an adapter for bodies that are too long': [
    [adapterAt('b', '/long', 10_000_001)],
    /at \/long has maxBytes "10000001"; it must be an integer from 1 to 10000000/,
  ],
  'options for a plugin that takes none': [
    [entry({ name: 'a', receiver: nothing }, { x: 1 })],
    /plugin a .*takes no options/,
  ],
  'options that the schema of the plugin refuses': [
    [
      entry(
        { name: 'a', receiver: nothing, options: z.object({ x: z.object({ y: z.number() }) }) },
        { x: {} },
      ),
    ],
    /plugin a .*options are wrong: x\.y: Invalid input/,
  ],
};

for (const [name, [entries, words]] of Object.entries(REFUSED)) {
  test(`the host refuses ${name}`, async (t) => {
    await t.throwsAsync(startHost(entries, around), { message: words });
  });
}

test('the host refuses an output with a key that there is not', async (t) => {
  const output = { path: 'llms.txt', render: () => '', path_: 'x' };
  const plugin = definePlugin({ name: 'a', pages: (host) => host.addOutput(output) });
  await t.throwsAsync(startHost([entry(plugin)], { ...around, face: 'pages' }), {
    code: 'PLUGIN_INVALID',
    message: /plugin a: the output "llms\.txt": it has "path_", .*; did you mean path\?/,
  });
});

for (const path of ['', '/a.txt', '../a.txt', 'a/../b', '.hidden', 'feed.xml', 'tags/', 'LLMS.txt', 7])
  test(`the host refuses the output ${path}`, async (t) => {
    const render = () => '';
    const plugin = definePlugin({
      name: 'a',
      pages: (host) => {
        host.addOutput({ path: 'llms.txt', render });
        host.addOutput({ path: path as string, render });
      },
    });
    await t.throwsAsync(startHost([entry(plugin)], { ...around, face: 'pages' }), {
      code: 'PLUGIN_INVALID',
      message: /plugin a: /,
    });
  });

test('a plugin gets its options as its schema has returned them', async (t) => {
  let seen: unknown;
  const plugin = definePlugin<{ n: number }>({
    name: 'a',
    options: z.object({ n: z.coerce.number().default(7) }),
    receiver: ({ options }) => {
      seen = options.n;
    },
  });
  await startHost([entry(plugin, { n: '3' })], around);
  t.is(seen, 3);
  await startHost([entry(plugin)], around);
  t.is(seen, 7);
});

test('what a plugin logs is without secrets', async (t) => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const plugin = definePlugin({
    name: 'talkative',
    receiver: (host) =>
      host.log.info({ secret: 'of-the-service', config: { secrets: ['of-the-service'] } }, 'set up'),
  });
  await startHost([entry(plugin)], { ...around, log });
  t.regex(lines.join(), /set up/);
  t.notRegex(lines.join(), /of-the-service/);
});

test('a hook that is added after the start is refused', async (t) => {
  let late: (() => void) | undefined;
  const plugin = definePlugin({
    name: 'late',
    receiver: (host) => {
      late = () => host.addAction('host.ready', () => undefined);
    },
  });
  await startHost([entry(plugin)], around);
  t.throws(() => late?.(), { message: /plugin late adds "host.ready" after the start/ });
});

test('a plugin gets the values of its secrets, and neither the log, a finding nor a page shows them', async (t) => {
  const file = join(tempDir(t), 'log');
  const log = createLog({ level: 'info', terminal: false, fd: fs.openSync(file, 'w'), atOnce: true });
  const plugin = definePlugin({
    name: 'talkative',
    secrets: ['A_TOKEN'],
    receiver(host) {
      const words = `Bearer ${host.secrets.A_TOKEN}`;
      host.log.info({ headers: [words] }, 'asked');
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
  const request = { user: { name: 'ada', role: 'admin' }, query: new URLSearchParams() } as const;
  const pages = await Promise.all(host.admin.pages.map((page) => page.render(request)));
  const shown = JSON.stringify([await host.findings(), pages]);
  t.is(shown.split('Bearer [redacted]').length - 1, 5, shown);
  t.false(shown.includes('and'), shown);
});

test('a plugin does the hooks that it declares, and others act upon them', async (t) => {
  const seen: unknown[] = [];
  const sent = 'announce.sent' as 'host.ready'; // plugins in TypeScript declare its type
  const announce = definePlugin({
    name: 'announce',
    hooks: { actions: [sent] },
    receiver: (host) => host.addAction('host.ready', () => host.doAction(sent, { url: 'a' })),
  });
  const listener = definePlugin({
    name: 'listener',
    receiver: (host) => host.addAction(sent, (payload) => seen.push(payload)),
  });
  const host = await startHost([entry(listener), entry(announce)], around);
  await host.hooks.doAction('host.ready', { url: '' });
  t.deepEqual(seen, [{ url: 'a' }]);
  t.is(host.hooks.didAction(sent), 1);
});

test('a handler can be removed by what adding it has returned, and by its name and function', async (t) => {
  let removed: (() => void)[] = [];
  const shout = (text: string) => `${text}!`;
  const plugin = definePlugin({
    name: 'a',
    receiver: (host) => {
      const remove = host.addFilter('article.slug', (slug) => `${slug}-1`);
      host.addFilter('article.slug', shout);
      removed = [remove, () => t.true(host.removeFilter('article.slug', shout))];
      t.true(host.hasFilter('article.slug'));
    },
  });
  const { hooks } = await startHost([entry(plugin)], around);
  const apply = () => hooks.applyFilters('article.slug', 'a', {} as never);
  const values = [await apply()];
  for (const remove of removed) {
    remove();
    values.push(await apply());
  }
  t.deepEqual(values, ['a-1!', 'a!', 'a']);
  t.false(hooks.hasFilter('article.slug'));
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
});

test('a plugin may take its time to be activated, and other receivers on the folder wait for it', async (t) => {
  const dir = tempDir(t);
  const jobs = createJobs({ folder: join(dir, 'jobs'), log: around.log });
  const calls: string[] = [];
  let end: () => void = () => undefined;
  const unending = new Promise<void>((resolve) => {
    end = resolve;
  });
  const slow = definePlugin({
    name: 'slow',
    receiver: () => void calls.push('receiver'),
    async activate() {
      calls.push('activate');
      await unending;
    },
  });
  const start = (limits: PluginLimits) =>
    startHost([entry(slow)], { ...around, stateDir: dir, jobs }, limits);
  await t.throwsAsync(start({ ...LIMITS, activateMs: 20 }), {
    code: 'PLUGIN_INVALID',
    message:
      'plugin slow (plugins/x.js) is not activated after 0.02 s; its activate(host) must resolve sooner',
  });
  calls.splice(0);
  const both = Promise.all([start({ ...LIMITS, setupMs: 20 }), start({ ...LIMITS, setupMs: 20 })]);
  await until('both are set up', () => calls.length === 3);
  await setTimeout(100); // longer than they had to be set up
  end();
  for (const host of await both) await host.close();
  t.deepEqual(calls, ['receiver', 'receiver', 'activate']);
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
      /plugin two uses "one\.sum", which no plugin has provided; name the plugin that does in requires/,
  });
  const rival = definePlugin({ name: 'two', receiver: (host) => host.provide('one.sum', 4) });
  await t.throwsAsync(start(provider, rival), {
    message: /plugin two provides "one\.sum", as plugin one does/,
  });
});

test('jobs are refused after the start, and in words that name the plugin', async (t) => {
  let add: (() => void)[] = [];
  const plugin = definePlugin({
    name: 'late',
    receiver(host) {
      const run = () => undefined;
      add = [
        () => host.job('later', { on: 'article.live', run }),
        () => host.cron('later', { at: '0 3 * * *', run }),
      ];
    },
  });
  await startHost([entry(plugin)], around);
  for (const one of add)
    t.throws(one, { message: /plugin late adds (?:job|cron) "later" after the start; add it in receiver/ });
  const broken = definePlugin({
    name: 'broken',
    receiver: (host) => host.cron('nightly', { at: 'at night', run: () => undefined }),
  });
  await t.throwsAsync(startHost([entry(broken)], around), {
    message: 'plugin broken: cron "nightly": its at is "at night": write five fields, such as 0 3 * * *',
  });
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
    ['', 'bearer', /needs DOOR_KEYS of 8 characters or more/],
    ['          ', 'bearer', /needs DOOR_KEYS of 8 characters or more/],
    ['one-two', 'bearer', /needs DOOR_KEYS of 8 characters or more/],
    ['one-token,', 'bearer', /needs a token in DOOR_KEYS/],
    ['one-token,one two', 'bearer', /needs a token in DOOR_KEYS/],
    ['ada-and-bo', 'basic', /needs name:password in DOOR_KEYS/],
    ['ada-and-bo: ', 'basic', /needs name:password in DOOR_KEYS/],
    ['ada-and-bo:seven-7', 'basic', /needs name:password in DOOR_KEYS/],
    ['ada:abcd EFGH,,', 'basic', /needs name:password in DOOR_KEYS/],
  ] as const)
    await t.throwsAsync(start(value, kind), { code: 'PLUGIN_INVALID', message: words }, value);
  await (await start('ada:abcd EFGH, bo:ijkl MNOP', 'basic')).close();
  await (await start('one-token create update,two-token', 'bearer')).close();
});
