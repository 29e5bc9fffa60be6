import test from 'ava';
import { pino } from 'pino';
import { definePlugin, type Plugin, type PluginEntry, startHost } from '../../../src/host/plugins.js';

const around = {
  role: 'receiver',
  siteUrl: 'https://garden.example',
  siteDir: '/nowhere',
  log: pino({ level: 'silent' }),
  articles: { get: async () => undefined, find: async () => undefined, ids: () => [] },
} as const;

const LIMITS = { setupMs: 60_000, closingMs: 60_000, disposeMs: 60_000 };

function entry(plugin: Plugin<never> | unknown, options?: unknown): PluginEntry {
  return { plugin: plugin as Plugin, origin: 'plugins/x.js', ...(options !== undefined && { options }) };
}

function named(name: string, order: string[], requires?: string[]): PluginEntry {
  return entry({ name, setup: () => void order.push(name), ...(requires && { requires }) });
}

test('plugins are set up in their order, each after those it requires, and closed the other way round', async (t) => {
  const order: string[] = [];
  const closed: string[] = [];
  const closing = definePlugin({
    name: 'b',
    requires: ['d', 'c'],
    setup: (host) => {
      order.push('b');
      host.onClose(() => closed.push('b first'));
      host.onClose(() => {
        closed.push('b last');
        throw new Error('broken');
      });
    },
  });
  const host = await startHost(
    [named('a', order), entry(closing), named('c', order, ['d']), named('d', order)],
    around,
  );
  t.deepEqual(order, ['a', 'd', 'c', 'b']);
  await host.close();
  t.deepEqual(closed, ['b last', 'b first']);
});

test('where a plugin cannot be set up, those that were set up before it are closed', async (t) => {
  const closed: string[] = [];
  const closing = (name: string): PluginEntry =>
    entry(definePlugin({ name, setup: (host) => host.onClose(() => closed.push(name)) }));
  const broken = entry(
    definePlugin({
      name: 'broken',
      setup: () => {
        throw new Error('no key');
      },
    }),
  );
  await t.throwsAsync(startHost([closing('a'), closing('b'), broken, closing('c')], around), {
    message: /plugin broken .*no key/,
  });
  t.deepEqual(closed, ['b', 'a']);
});

test('a setup that never ends is named, and those that were set up before it are closed', async (t) => {
  let isClosed = false;
  const first = definePlugin({
    name: 'first',
    setup: (host) =>
      host.onClose(() => {
        isClosed = true;
      }),
  });
  const hanging = definePlugin({ name: 'hanging', setup: () => new Promise<void>(() => undefined) });
  await t.throwsAsync(startHost([entry(first), entry(hanging)], around, { ...LIMITS, setupMs: 20 }), {
    code: 'PLUGIN_INVALID',
    message: 'plugin hanging (plugins/x.js) is not set up after 0.02 s; its setup() must come to an end',
  });
  t.true(isClosed);
});

test('a handler of host.closing that never ends does not keep the disposers from their work', async (t) => {
  let isDisposed = false;
  let endHandler: (() => void) | undefined;
  const plugin = definePlugin({
    name: 'slow',
    setup: (host) => {
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
    setup: (host) => host.onClose(() => new Promise(() => undefined)),
  });
  await (await startHost([entry(plugin)], { ...around, log }, { ...LIMITS, disposeMs: 1 })).close();
  t.is(lines.length, 1);
  t.like(JSON.parse(lines[0] ?? ''), {
    plugin: 'stuck',
    msg: 'plugin is not closed after 1 ms; it is left behind',
  });
});

const REFUSED: Record<string, [entries: PluginEntry[], words: RegExp]> = {
  'a plugin that requires a missing plugin': [[named('a', [], ['z'])], /plugin a .*requires "z"/],
  'plugins that require one another in a circle': [
    [named('a', [], ['b']), named('b', [], ['c']), named('c', [], ['a'])],
    /a -> b -> c -> a/,
  ],
  'a plugin that requires itself': [[named('a', [], ['a'])], /a -> a/],
  'two plugins with one name': [
    [named('a', []), named('a', [])],
    /two plugins are named "a": plugins\/x\.js and plugins\/x\.js/,
  ],
  'a module without a default export': [[entry(undefined)], /plugins\/x\.js is not a plugin/],
  'a plugin without a name': [[entry({ setup: () => undefined })], /name is missing/],
  'a plugin without a setup': [[entry({ name: 'a' })], /no setup/],
  'options for a plugin that takes none': [
    [entry({ name: 'a', setup: () => undefined }, { x: 1 })],
    /plugin a .*takes no options/,
  ],
  'options that the check of the plugin refuses': [
    [
      entry(
        {
          name: 'a',
          setup: () => undefined,
          options: {
            parse: () => {
              throw new Error('x is missing');
            },
          },
        },
        {},
      ),
    ],
    /plugin a .*options are wrong: x is missing/,
  ],
  'a plugin whose setup throws': [
    [
      entry({
        name: 'a',
        setup: () => {
          throw new Error('broken');
        },
      }),
    ],
    /plugin a .*broken/,
  ],
};

for (const [name, [entries, words]] of Object.entries(REFUSED)) {
  test(`the host refuses ${name}`, async (t) => {
    await t.throwsAsync(startHost(entries, around), { message: words });
  });
}

for (const path of ['', '/a.txt', '../a.txt', 'a/../b', '.hidden', 'feed.xml', 'tags/', 'LLMS.txt', 7])
  test(`the host refuses the output ${path}`, async (t) => {
    const render = () => '';
    const plugin = definePlugin({
      name: 'a',
      setup: (host) => {
        host.addOutput({ path: 'llms.txt', render });
        host.addOutput({ path: path as string, render });
      },
    });
    await t.throwsAsync(startHost([entry(plugin)], around), {
      code: 'PLUGIN_INVALID',
      message: /plugin a: /,
    });
  });

test('a plugin gets its options as their check has returned them', async (t) => {
  let seen: unknown;
  const plugin = definePlugin<{ n: number }>({
    name: 'a',
    options: { parse: (value) => ({ n: Number((value as { n?: string }).n ?? 7) }) },
    setup: ({ options }) => {
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
    setup: (host) =>
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
    setup: (host) => {
      late = () => host.addAction('host.ready', () => undefined);
    },
  });
  await startHost([entry(plugin)], around);
  t.throws(() => late?.(), { message: /plugin late adds "host.ready" after the start/ });
});
