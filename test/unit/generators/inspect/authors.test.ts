import test from 'ava';
import { authorsInFiles } from '../../../../src/generators/inspect/authors.js';
import { siteOf } from '../../../support/site-files.js';

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
