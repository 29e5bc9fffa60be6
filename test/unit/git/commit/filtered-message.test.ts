import test from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../../src/article/article.js';
import type { ArticleData } from '../../../../src/contract/envelope.js';
import { createMessages } from '../../../../src/git/commit/message.js';
import type { CommitMessageContext } from '../../../../src/host/hook-types.js';
import { createHooks } from '../../../../src/host/hooks.js';
import { article } from '../../../support/events.js';

const CHANGE = {
  event: 'article.published',
  article: {
    ...draftOf(article({ title: 'Soil' }) as unknown as ArticleData),
    revision: 'r1',
    updated: null,
  },
  path: 'content/articles/soil.md',
  text: '',
  timestamp: '2026-01-02T08:00:00Z',
} as unknown as CommitMessageContext;

for (const [what, wrong] of [
  ['a number', 5],
  ['null', null],
  ['nothing', undefined],
] as const) {
  test(`where a filter returns ${what}, the commit has its own message, and the log names the plugin`, async (t) => {
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
    const hooks = createHooks(log);
    hooks.addFilter('git.message', () => wrong as never, { plugin: 'mistaken' });
    const message = createMessages({ hooks, log, template: undefined, skipCi: false });
    t.true((await message('Publish', CHANGE.path, CHANGE)).startsWith('Publish: Soil\n'));
    t.regex(lines.join(''), /filter git\.message of plugin mistaken returned /);
  });
}
