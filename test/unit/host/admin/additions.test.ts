import test from 'ava';
import { pino } from 'pino';
import { type AdminRequest, createAdminAdditions, escapeHtml } from '../../../../src/host/admin/additions.js';
import { definePlugin } from '../../../../src/host/plugin.js';
import { createTestHost } from '../../../../src/testing/test-host.js';

const request: AdminRequest = { user: { name: 'ada', role: 'admin' }, query: new URLSearchParams('n=2') };

/** The table of one plugin, with limits that a test can wait for. */
function tableOf(limits = { renderMs: 60_000, runMs: 60_000 }) {
  const lines: string[] = [];
  const table = createAdminAdditions(limits);
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  return { all: table.all, lines, adding: table.addingOf('desk', log, () => undefined) };
}

test('admin additions: a plugin adds a page, a widget and an action, and its test runs them', async (t) => {
  const host = await createTestHost(
    definePlugin({
      name: 'desk',
      receiver({ admin }) {
        admin.page({ path: 'queue', title: 'Queue', render: ({ query }) => `<p>${query.get('n')}</p>` });
        admin.widget({ title: 'Waiting', render: async ({ user }) => `<p>${escapeHtml(user.name)}</p>` });
        admin.action({ name: 'send', label: 'Send', on: 'article', run: ({ article }) => `sent ${article}` });
      },
    }),
  );
  t.teardown(host.close);
  const { pages, widgets, actions } = host.admin;
  t.like(pages[0], { plugin: 'desk', path: 'queue', title: 'Queue', role: 'admin' });
  t.like(widgets[0], { plugin: 'desk', title: 'Waiting', role: 'editor' });
  t.like(actions[0], { plugin: 'desk', name: 'send', label: 'Send', on: 'article', role: 'editor' });
  t.deepEqual(await pages[0]?.render(request), { kind: 'done', text: '<p>2</p>' });
  t.deepEqual(await widgets[0]?.render(request), { kind: 'done', text: '<p>ada</p>' });
  t.deepEqual(await actions[0]?.run({ ...request, article: 'a-1' }), { kind: 'done', text: 'sent a-1' });
});

test('admin additions: what a plugin does wrong is a result and a line of its log, never an error', async (t) => {
  const { all, adding, lines } = tableOf();
  const faulty = (path: string, render: () => never | string) => adding.page({ path, title: path, render });
  faulty('throws', () => {
    throw new Error('no such <queue>');
  });
  faulty('number', () => 5 as never);
  faulty('long', () => 'x'.repeat(1_000_001));
  adding.action({
    name: 'rejects',
    label: 'Rejects',
    on: 'overview',
    run: async () => {
      throw new Error('no answer');
    },
  });
  const results = await Promise.all([
    ...all.pages.map((page) => page.render(request)),
    ...all.actions.map((action) => action.run({ ...request, article: undefined })),
  ]);
  t.deepEqual(
    results.map((result) => result.kind === 'failed' && result.reason),
    [
      'no such <queue>',
      'it did not return a text of HTML',
      'its HTML is longer than 1000000 characters',
      'no answer',
    ],
  );
  t.is(lines.length, 4);
  t.regex(lines[0] ?? '', /its page \\"throws\\" in the admin failed/);
});

test('admin additions: a view that never comes fails after its time', async (t) => {
  const { all, adding } = tableOf({ renderMs: 20, runMs: 20 });
  adding.widget({ title: 'Stuck', render: () => new Promise<string>(() => undefined) });
  t.deepEqual(await all.widgets[0]?.render(request), {
    kind: 'failed',
    reason: 'it took longer than 0.02 s',
  });
});

test('admin additions: what is wrong with one is an error at the start that names the plugin', async (t) => {
  const render = () => '';
  const run = () => undefined;
  const cases: [RegExp, (admin: ReturnType<typeof tableOf>['adding']) => void][] = [
    [/page "\.\.\/x" .* lower-case letters/, (admin) => admin.page({ path: '../x', title: 'X', render })],
    [/title ""; it must be a text/, (admin) => admin.page({ path: 'x', title: '', render })],
    [
      /page "x" in the admin: it has "rolle", .*; did you mean role\?/,
      (admin) => admin.page({ path: 'x', title: 'X', render, rolle: 'editor' } as never),
    ],
    [/it has "path"/, (admin) => admin.widget({ title: 'X', render, path: 'x' } as never)],
    [/it has "of"/, (admin) => admin.action({ name: 'x', label: 'X', of: 'article', run: render } as never)],
    [/needs the function render/, (admin) => admin.widget({ title: 'X' } as never)],
    [/role "owner"/, (admin) => admin.widget({ title: 'X', role: 'owner' as never, render })],
    [/on "page"; write/, (admin) => admin.action({ name: 'x', label: 'X', on: 'page' as never, run })],
    [
      /action "x" .* twice/,
      (admin) => {
        admin.action({ name: 'x', label: 'X', on: 'plugin', run });
        admin.action({ name: 'x', label: 'Y', on: 'plugin', run });
      },
    ],
  ];
  for (const [message, add] of cases) {
    const plugin = definePlugin({ name: 'desk', receiver: ({ admin }) => add(admin) });
    const error = await t.throwsAsync(createTestHost(plugin), { code: 'PLUGIN_INVALID', message });
    t.regex(error?.message ?? '', /plugin desk/);
  }
});

test('admin additions: a text is safe in HTML and in an attribute', (t) => {
  t.is(escapeHtml(`<a b="c">'&`), '&lt;a b=&quot;c&quot;&gt;&apos;&amp;');
});
