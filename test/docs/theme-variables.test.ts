import fs from 'node:fs';
import test from 'ava';

const page = fs.readFileSync(new URL('../../../docs/themes.md', import.meta.url), 'utf8');

const THEME = new URL('../../../templates/', import.meta.url);

/** The files of the built-in theme, and its folders. */
function filesOfTheme(): string[] {
  return fs.readdirSync(THEME, { recursive: true, encoding: 'utf8' });
}

/** The variables that the page's lists name. */
const documented = new Set(
  [...page.matchAll(/^On .+:\n\n((?:- .+\n)+)/gm)].flatMap(([, list = '']) =>
    [...list.matchAll(/^- `(it\.[\w.]+)[^`]*`((?:, `\.\w+`)*)/gm)].flatMap(([, first = '', others = '']) => [
      first,
      ...[...others.matchAll(/\.\w+/g)].map(([member]) => first.replace(/\.\w+$/, member)),
    ]),
  ),
);

test('every variable that a built-in template uses is documented', (t) => {
  const templates = filesOfTheme().filter((name) => name.endsWith('.eta'));
  t.true(templates.length > 15);
  for (const name of templates)
    for (const [variable] of fs.readFileSync(new URL(name, THEME), 'utf8').matchAll(/\bit\.\w+/g))
      t.true(documented.has(variable), `${variable} of ${name} is not documented`);
});

test('the page names every file of the built-in theme, and no other', (t) => {
  const files = filesOfTheme().filter((name) => /\.\w+$/.test(name) && !/^words\/(?!en)/.test(name));
  const named = [...page.matchAll(/^\| `((?!it\.)[\w/-]+\.\w+)`/gm)].map(([, name]) => name);
  t.deepEqual(named.sort(), files.sort());
});
