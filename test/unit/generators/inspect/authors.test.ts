import test from 'ava';
import { authorsIn, authorsInFiles } from '../../../../src/generators/inspect/authors.js';
import { siteOf } from '../../../support/site-files.js';

test('authors are read from a map of keys and from a list, whatever their names are called', (t) => {
  t.deepEqual(authorsIn({ ada: { name: 'Ada Lovelace' }, wren: 'Wren Moss', other: { bio: 'x' } }), {
    'Ada Lovelace': 'ada',
    'Wren Moss': 'wren',
  });
  t.deepEqual(authorsIn([{ slug: 'ada', title: 'Ada Lovelace' }, { name: 'Nobody' }, 'x']), {
    'Ada Lovelace': 'ada',
  });
  for (const value of [undefined, null, 'Ada', 3]) t.deepEqual(authorsIn(value), {});
});

test('authors are read from one file, or from one file or folder for each', (t) => {
  const files = siteOf({
    'data/authors.yaml': '---\nada:\n  name: Ada Lovelace\n',
    'data/people.yml': '- slug: olga\n  name: Olga Reed\n',
    'data/authors/wren.toml': 'name = "Wren Moss"\n',
    'data/authors/broken.json': '{',
    'content/authors/_index.md': '---\ntitle: All authors\n---\n',
    'content/authors/marta/_index.md': '---\ntitle: Marta Oak\n---\n',
  });
  t.deepEqual(authorsInFiles(files, ['data/authors', 'data/people', 'content/authors']), {
    'Olga Reed': 'olga',
    'Ada Lovelace': 'ada',
    'Wren Moss': 'wren',
    'Marta Oak': 'marta',
  });
});
