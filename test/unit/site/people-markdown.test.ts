import test from 'ava';
import { pino } from 'pino';
import { refuseExit } from '../../../src/host/guard.js';
import { peopleMarkdown } from '../../../src/site/index/people-markdown.js';

test('Markdown of people: a rule of a plugin that ends the process fails like any other, and the text is rendered without it', (t) => {
  t.teardown(refuseExit());
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const markdown = [{ plugin: 'ender', extend: ender }];
  const render = peopleMarkdown({ markdown, shortcodes: new Map() }, log);
  t.is(render?.('one\n\n---\n'), '<p>one</p>\n<hr>\n');
  t.regex(lines.join(), /plugin ender must not end the process/);
});

function ender(md: { renderer: { rules: Record<string, unknown> } }): void {
  md.renderer.rules.hr = () => process.exit(0);
}
