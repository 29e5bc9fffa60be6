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

test('admin additions: what a plugin does wrong is a result and a line of its log, never an error', async (t) => {
  const { all, adding, lines } = tableOf({ renderMs: 20, runMs: 20 });
  const faulty = (path: string, render: () => unknown) =>
    adding.page({ path, title: path, render: render as () => string });
  faulty('throws', () => {
    throw new Error('no such <queue>');
  });
  faulty('number', () => 5);
  faulty('long', () => 'x'.repeat(1_000_001));
  faulty('stuck', () => new Promise(() => undefined));
  const run = () => Promise.reject(new Error('no answer'));
  adding.action({ name: 'rejects', label: 'Rejects', on: 'overview', run });
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
      'it took longer than 0.02 s',
      'no answer',
    ],
  );
  t.is(lines.length, 5);
  t.regex(lines[0] ?? '', /its page \\"throws\\" in the admin failed/);
});

test('admin additions: what is wrong with one is an error at the start that names the plugin', async (t) => {
  const render = () => '';
  const run = () => undefined;
  const cases: [RegExp, (admin: ReturnType<typeof tableOf>['adding']) => void][] = [
    [/page "\.\.\/x" .* lower-case letters/, (admin) => admin.page({ path: '../x', title: 'X', render })],
    [/title ""; it must be a text/, (admin) => admin.page({ path: 'x', title: '', render })],
    [
      /page "x" in the admin: it has the unknown key "rolle"; did you mean role\?;/,
      (admin) => admin.page({ path: 'x', title: 'X', render, rolle: 'editor' } as never),
    ],
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
