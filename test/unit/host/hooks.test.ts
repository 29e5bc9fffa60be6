import test from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../src/article/article.js';
import { Hold, Refusal } from '../../../src/host/hooks/filter-results.js';
import type { ActionName } from '../../../src/host/hooks/hook-types.js';
import { createHooks } from '../../../src/host/hooks/hooks.js';
import { article } from '../../support/events.js';

const silent = pino({ level: 'silent' });
const page = { kind: 'home', path: '/' };

test('filters with a lower priority run first, those with the same in the order in which they were added, each on the value of the one before', async (t) => {
  const hooks = createHooks(silent, { face: 'pages' });
  for (const [letter, priority] of [
    ['c', 10],
    ['d', undefined],
    ['a', -5],
    ['e', 11],
    ['b', 0],
  ] as const) {
    hooks.addFilter('page.html', (html) => html + letter, {
      plugin: letter,
      ...(priority !== undefined && { priority }),
    });
  }
  t.is(await hooks.applyFilters('page.html', '', page), 'abcde');
  t.true(hooks.hasFilter('page.html'));
  t.false(hooks.hasFilter('page.head'));
  t.deepEqual(
    await hooks.applyFilters('feed.items', [], page),
    [],
    'without handlers the value goes through',
  );
});

test('a handler that another one removes, or that is removed while another one runs, is not called any more', async (t) => {
  const hooks = createHooks(silent, { face: 'receiver' });
  const seen: string[] = [];
  let end: () => void = () => undefined;
  const adding = (name: 'host.ready' | 'host.closing', handler: () => unknown) =>
    hooks.addAction(name, handler, { plugin: 'a' });
  adding('host.ready', () => removeNext());
  const removeNext = adding('host.ready', () => void seen.push('next'));
  adding('host.ready', () => new Promise<void>((resolve) => (end = resolve)));
  const removeLast = adding('host.ready', () => void seen.push('last'));
  const done = hooks.doAction('host.ready', { url: '' });
  removeLast();
  end();
  await done;
  t.deepEqual(seen, []);

  const alone = (slug: string) => {
    removeFilter();
    return `${slug}-1`;
  };
  hooks.addFilter('article.slug', alone, { plugin: 'a' });
  const removeFilter = hooks.addFilter('article.slug', (slug) => `${slug}-2`, { plugin: 'a' });
  t.is(await hooks.applyFilters('article.slug', 'a', draftOf(article())), 'a-1');
});

test('a hook that does not exist is refused whatever is asked of it, and the nearest name is suggested', (t) => {
  const hooks = createHooks(silent);
  const host = hooks.ofPlugin('mine');
  const add = (name: string) => () =>
    hooks.addAction(name as ActionName, () => undefined, { plugin: 'mine' });
  t.throws(add('article.publish'), {
    message: /plugin mine: there is no action "article.publish"; did you mean article.published\?/,
  });
  t.throws(add('somewhat.else'), {
    message: /there is no action "somewhat.else"; docs\/plugins.md lists the actions$/,
  });
  for (const ask of [
    add('__proto__'),
    add('page.html'),
    () => host.hasFilter('page.heads' as never),
    () => host.didAction('host.redy' as never),
    () => host.removeFilter('page.heads' as never, (value) => value as never),
    () => host.removeAction('host.redy' as never, () => undefined),
    () => host.applyFilters('page.heads' as never, '' as never, {} as never),
    () => host.doAction('host.redy' as never, {} as never),
  ])
    t.throws(ask, { code: 'HOOK_UNKNOWN', message: /^plugin mine: there is no (filter|action) / });
  t.throws(() => hooks.addAction('host.ready', 'no function' as never, { plugin: 'mine' }), {
    code: 'PLUGIN_INVALID',
  });
});

test('a filter that throws, returns nothing or hangs is a failure that names its plugin; where that is taken in, the next one gets the value as it was before', async (t) => {
  const items = [{ url: 'https://garden.example/', article: null }];
  const about = { kind: 'sitemap', path: '/sitemap.xml' };
  const faults: Readonly<Record<string, (given: (typeof items)[number][]) => unknown>> = {
    throws: (given) => {
      given.length = 0;
      throw new Error('broken');
    },
    nothing: (given) => void given.push({ url: 'no address', article: null }),
    hangs: () => new Promise(() => undefined),
  };
  const hooks = createHooks(silent, { face: 'pages', filterTimeoutMs: 20 });
  for (const [plugin, fault] of Object.entries(faults))
    hooks.addFilter('sitemap.items', fault as never, { plugin });
  hooks.addFilter('sitemap.items', (given) => [...given, ...given], { plugin: 'works' });
  const failures: string[] = [];
  const shown = await hooks.applyFilters('sitemap.items', items, about, ({ message }) =>
    failures.push(message),
  );
  t.deepEqual(shown, [...items, ...items]);
  t.deepEqual(failures, [
    'filter sitemap.items of plugin throws failed: broken',
    'filter sitemap.items of plugin nothing returned nothing instead of a list',
    'filter sitemap.items of plugin hangs took longer than 20 ms',
  ]);
  await t.throwsAsync(hooks.applyFilters('sitemap.items', items, about), {
    code: 'FILTER_FAILED',
    message: failures[0] ?? '',
  });
});

test('a filter of pages that fails on three pages in a row is switched off with one loud line, and pages are made without it', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const hooks = createHooks(log, { face: 'pages', filterTimeoutMs: 5, mostFailures: 3 });
  const faults: (() => unknown)[] = [
    () => new Promise(() => undefined),
    () => 12,
    () => {
      throw new Error('broken');
    },
  ];
  let calls = 0;
  hooks.addFilter('page.html', () => faults[calls++ % 3]?.() as string, { plugin: 'bad' });
  hooks.addFilter('page.html', (html) => `${html} and fine`, { plugin: 'good' });
  const apply = (path: string) => hooks.applyFilters('page.html', 'a page', { kind: 'article', path });
  for (const path of ['/a/', '/b/', '/c/']) await t.throwsAsync(apply(path), { code: 'FILTER_FAILED' });
  t.is(hooks.switchedOff(), 'filter page.html of plugin bad');
  for (const path of ['/a/', '/d/']) t.is(await apply(path), 'a page and fine');
  t.is(calls, 3);
  t.is(lines.length, 1);
  t.like(lines[0], { level: 50, plugin: 'bad', reason: 'failed: broken' });
  hooks.addFilter('sitemap.items', () => 12 as never, { plugin: 'bad' });
  for (let n = 0; n < 3; n++)
    await t.throwsAsync(hooks.applyFilters('sitemap.items', [], { kind: 'sitemap', path: '/sitemap.xml' }));
  t.regex(hooks.switchedOff(), /, filter sitemap\.items of plugin bad$/, 'each time is of all articles');
});

test('a filter of pages that fails on one page, however often, or now and then, is not switched off', async (t) => {
  const hooks = createHooks(silent, { face: 'pages', mostFailures: 3 });
  const failing = new Set(['/a/', '/b/']);
  const filter = (html: string, { path }: { path: string }) => {
    if (failing.has(path)) throw new Error('broken');
    return html;
  };
  hooks.addFilter('page.html', filter, { plugin: 'odd' });
  const apply = (path: string) => hooks.applyFilters('page.html', '', { kind: 'article', path });
  for (let n = 0; n < 5; n++) await t.throwsAsync(apply('/a/'));
  for (let n = 0; n < 3; n++) {
    await t.throwsAsync(apply('/a/'));
    await t.throwsAsync(apply('/b/'));
    t.is(await apply('/c/'), '');
  }
  t.is(hooks.switchedOff(), '');
});

test('a handler that is late once delays the others of its action no more, and in a service that stops none does', async (t) => {
  const hooks = createHooks(silent, { actionTimeoutMs: 20 });
  const told: string[] = [];
  const hangs = () => new Promise(() => undefined);
  for (const name of ['host.ready', 'host.closing'] as const) {
    hooks.addAction(name, hangs, { plugin: 'hangs' });
    hooks.addAction(name, () => told.push(name), { plugin: 'other' });
  }
  await hooks.doAction('host.ready', { url: '' });
  const again = hooks.doAction('host.ready', { url: '' });
  t.deepEqual(told, ['host.ready', 'host.ready']);
  const closed = hooks.doAction('host.closing', {});
  t.is(told.at(-1), 'host.closing');
  await Promise.all([again, closed]);
});

test('the handlers of an action run one after the other, by priority; those of first-party plugins before all others, and never wait for them', async (t) => {
  const hooks = createHooks(silent, { actionTimeoutMs: 60_000 });
  const told: string[] = [];
  let endFirst: (() => void) | undefined;
  const handler = (name: string) => () => told.push(name);
  const endless = () =>
    new Promise<void>((resolve) => {
      told.push('hangs');
      endFirst = resolve;
    });
  hooks.addAction('host.ready', handler('last'), { plugin: 'c', priority: 20 });
  hooks.addAction('host.ready', endless, { plugin: 'a', priority: -Number.MAX_VALUE });
  hooks.addAction('host.ready', handler('site'), { plugin: 'site', isFirstParty: true });
  hooks.addAction('host.ready', handler('b'), { plugin: 'b' });
  hooks.addAction('host.ready', handler('git'), { plugin: 'git', isFirstParty: true });
  const done = hooks.doAction('host.ready', { url: 'http://localhost:1' });
  t.deepEqual(told, ['site', 'git', 'hangs']);
  endFirst?.();
  await done;
  t.deepEqual(told, ['site', 'git', 'hangs', 'b', 'last']);
});

test('an action that throws, rejects or hangs is logged once, however often, and does not stop the other actions', async (t) => {
  const lines: { level: number; plugin: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const hooks = createHooks(log, { actionTimeoutMs: 20 });
  const told: string[] = [];
  hooks.addAction('host.ready', () => told.push('first'), { plugin: 'a' });
  hooks.addAction(
    'host.ready',
    () => {
      throw new Error('broken');
    },
    { plugin: 'b' },
  );
  hooks.addAction('host.ready', () => Promise.reject(new Error('broken')), { plugin: 'c' });
  hooks.addAction('host.ready', () => new Promise(() => undefined), { plugin: 'd' });
  hooks.addAction('host.ready', ({ url }) => told.push(url), { plugin: 'e' });
  for (let n = 0; n < 3; n++) await hooks.doAction('host.ready', { url: `http://localhost:${n}` });
  t.deepEqual(
    told,
    [0, 1, 2].flatMap((n) => ['first', `http://localhost:${n}`]),
  );
  t.deepEqual(
    lines.map(({ level, plugin }) => [level, plugin]),
    [
      [50, 'b'],
      [50, 'c'],
      [40, 'd'],
    ],
  );
});

test('a draft that a filter holds goes on to the next one; a refusal ends the filters with its status', async (t) => {
  const hooks = createHooks(silent);
  const draft = { ...draftOf(article({ title: 'Soil' })) };
  const context = { event: 'article.published', stored: null } as const;
  hooks.addFilter('article.draft', () => new Hold('a word'), { plugin: 'moderation' });
  hooks.addFilter('article.draft', (value) => ({ ...value, title: `${value.title}!` }), {
    plugin: 'shouting',
  });
  t.deepEqual(await hooks.applyFilters('article.draft', draft, context), {
    ...draft,
    title: 'Soil!',
    held: 'a word',
  });
  for (const reason of [undefined, '', 'false']) {
    const words = { code: 'FILTER_FAILED', message: /plugin hasty returned .* as the reason to hold/ };
    for (const hasty of [
      new Hold(reason as string),
      ...(reason === undefined ? [] : [{ ...draft, held: reason }]),
    ]) {
      const remove = hooks.addFilter('article.draft', () => hasty, { plugin: 'hasty' });
      await t.throwsAsync(hooks.applyFilters('article.draft', draft, context), words);
      remove();
    }
  }
  hooks.addFilter('article.draft', () => new Refusal(451, 'not here'), { plugin: 'strict' });
  await t.throwsAsync(hooks.applyFilters('article.draft', draft, context), {
    code: 'REFUSED_BY_PLUGIN',
    message: 'plugin strict: not here',
  });
});
