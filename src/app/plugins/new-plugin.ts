import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { PressmarkError, quote } from '../../errors.js';
import { isName } from '../../host/invalid.js';

/** Options of a new plugin. */
export interface NewPlugin {
  readonly name: string;
  /** Whether it is written in TypeScript. */
  readonly isTyped: boolean;
}

/**
 * Writes a plugin and its test into a site, and for TypeScript a `tsconfig.json` if there is none.
 *
 * @returns the paths of the files below the site's folder, the plugin's first.
 * @throws PressmarkError USAGE if the name is invalid, or a file exists already; then nothing is written.
 */
export function createPlugin(dir: string, { name, isTyped }: NewPlugin): string[] {
  if (!isName(name))
    throw new PressmarkError(
      'USAGE',
      `a plugin cannot be named ${quote(name)}; use lower-case letters, digits and hyphens, such as word-count`,
    );
  const ending = isTyped ? 'mts' : 'mjs';
  const files = new Map([
    [`plugins/${name}.${ending}`, pluginText(name, isTyped)],
    [`tests/${name}.test.${ending}`, testText(name, ending)],
  ]);
  const taken = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts']
    .flatMap((one) => [`plugins/${name}.${one}`, `tests/${name}.test.${one}`])
    .find((path) => fs.existsSync(join(dir, path)));
  if (taken !== undefined)
    throw new PressmarkError('USAGE', `${taken} is there already; choose another name, or delete it`);
  if (isTyped && !fs.existsSync(join(dir, 'tsconfig.json'))) files.set('tsconfig.json', TSCONFIG);
  for (const [path, text] of files) {
    fs.mkdirSync(dirname(join(dir, path)), { recursive: true });
    fs.writeFileSync(join(dir, path), text, { flag: 'wx' });
  }
  return [...files.keys()];
}

function pluginText(name: string, isTyped: boolean): string {
  return `${isTyped ? '' : '// @ts-check\n'}import { definePlugin } from 'pressmark';

export default definePlugin({
  name: '${name}',
  version: '0.1.0',

  // In the process that takes deliveries.
  receiver(host) {
    host.addAction('article.published', ({ article }) => {
      host.log.info({ url: article.url }, 'an article was published');
    });
  },

  // Where pages are made.
  pages(host) {
    host.addFilter('page.head', (head) => \`\${head}\\n<meta name="${name}" content="0.1.0">\`);
  },
});
`;
}

/** Not in plugins/, where each file is a plugin. */
function testText(name: string, ending: string): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestSite } from 'pressmark/testing';

test('the page of an article has what ${name} adds to its head', async () => {
  const site = await createTestSite({ plugins: [new URL('../plugins/${name}.${ending}', import.meta.url)] });
  try {
    const { status, url } = await site.deliver({ title: 'Soil' });
    assert.equal(status, 200);
    await site.built(url, '<meta name="${name}"');
    assert.ok(site.log.some(({ msg }) => msg === 'an article was published'));
  } finally {
    await site.close();
  }
});
`;
}

const TSCONFIG = `${JSON.stringify(
  {
    compilerOptions: {
      strict: true,
      module: 'nodenext',
      target: 'es2023',
      noEmit: true,
      erasableSyntaxOnly: true,
    },
    include: ['plugins', 'tests'],
  },
  null,
  2,
)}\n`;
