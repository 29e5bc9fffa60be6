import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { bareEnvironment } from '../../support/receiver.js';
import { ROOT, SETTINGS, testExample } from './example.js';

const ROUTE = 'app/api/webhook/route.ts';
const PAGE = 'app/articles/[slug]/route.ts';
const STORE = 'lib/articles.ts';
const NEXT = join(ROOT, 'test/e2e/tools/next/node_modules');

/** What nobody looks at takes a third of a build's time: minified code, a cache, and lists of files for a server. */
const QUICKLY = `export default {
  outputFileTracingExcludes: { '*': ['**'] },
  webpack: (config) => ({ ...config, cache: false, optimization: { ...config.optimization, minimize: false } }),
};
`;

/** Calls the handlers as Next.js does, and starts in a hundredth of the time. */
const SERVE = fileURLToPath(new URL('./serve-routes.js', import.meta.url));

testExample({
  folder: 'nextjs',
  path: '/api/webhook',
  command: (port, dir) => {
    fs.symlinkSync(NEXT, join(dir, 'node_modules'));
    fs.writeFileSync(join(dir, 'next.config.mjs'), QUICKLY);
    const next = join(NEXT, 'next/dist/bin/next');
    const env = { ...bareEnvironment(), ...SETTINGS, NEXT_TELEMETRY_DISABLED: '1' };
    execFileSync(process.execPath, [next, 'build', '--webpack'], { cwd: dir, env, stdio: 'pipe' });
    return [process.execPath, next, 'start', '--port', String(port)];
  },
  mistaken: (_, dir) => {
    const outdir = join(dir, 'dist');
    const outExtension = { '.js': '.mjs' };
    const entryPoints = { webhook: join(dir, ROUTE), page: join(dir, PAGE) };
    buildSync({ entryPoints, outdir, outExtension, bundle: true, platform: 'node', format: 'esm' });
    return [process.execPath, SERVE, join(outdir, 'webhook.mjs'), join(outdir, 'page.mjs')];
  },
  mistakes: [
    {
      what: 'signs the body as JSON.stringify writes it',
      edits: { [ROUTE]: [['await bodyOf(request)', 'Buffer.from(JSON.stringify(await request.json()))']] },
      first: 'signature-whitespace-changed',
      says: /Compute the signature over the raw bytes, before anything parses/,
    },
    {
      what: 'compares without a look at the lengths',
      edits: { [ROUTE]: [['given.length !== expected.length || ', '']] },
      first: 'signature-missing',
      says: /got {7}500.*read its log\..*constant-time comparisons fail without a value, and some of them on unequal lengths/s,
    },
    {
      what: 'answers a relative URL',
      edits: { [STORE]: [[`return \`\${siteUrl()}/articles/`, 'return `/articles/']] },
      first: 'publish-url',
      says: /Answer the URL with scheme and host, not the path alone/,
    },
    {
      what: 'does not wait for the write',
      edits: {
        [ROUTE]: [
          [
            'await save(article);',
            'Object(globalThis).queue = [...(Object(globalThis).queue ?? []), article];',
          ],
        ],
        [STORE]: [
          [
            `return first((name) => name.startsWith(\`\${slug}.\`));`,
            `const found = await first((name) => name.startsWith(\`\${slug}.\`));
  for (const article of Object(globalThis).queue?.splice(0) ?? []) await save(article);
  return found;`,
          ],
        ],
      },
      first: 'publish-then-lookup',
      says: /stored after the answer/,
    },
    {
      what: 'stores a redelivery under a new id',
      edits: {
        [ROUTE]: [['let article = await findById(id);', 'let article;\n    id = crypto.randomUUID();']],
      },
      first: 'publish-again-same-id',
      says: /Look data\.id up before you store anything/,
    },
    {
      what: 'sanitises the content',
      edits: {
        [ROUTE]: [["text('content_html'),", "text('content_html').replace(/<!--.*?-->/gs, ''),"]],
      },
      first: 'content-item-comment',
      says: /Keep HTML comments/,
    },
    {
      what: 'guesses the article by its slug',
      edits: {
        [STORE]: [
          [
            'canonical(url).slice(start.length)',
            "new URL(url).pathname.split('/').filter(Boolean).pop() ?? ''",
          ],
          ['canonical(url) !== start + slug || ', ''],
        ],
      },
      first: 'canonical-other-folder',
      says: /Compare origin, path and query of both URLs exactly; never guess by slug or title/,
    },
    {
      what: 'decodes what is not UTF-8',
      edits: { [ROUTE]: [["new TextDecoder('utf-8', { fatal: true }).decode(raw)", 'raw.toString()']] },
      first: 'json-invalid-utf8',
      says: /strict UTF-8, and answer 400/,
    },
    {
      what: 'acknowledges an update of an article that is not there',
      edits: {
        [ROUTE]: [
          [
            "throw new Refused(404, 'no such article')",
            'return { contract_version: 3, revision_id: revision }',
          ],
        ],
      },
      first: 'update-target-unknown',
      says: /Answer 404 if no such article exists/,
    },
    {
      what: 'ignores the base revision',
      edits: {
        [ROUTE]: [["throw new Refused(409, 'Article revision conflict')", "console.log('a conflict')"]],
      },
      first: 'update-stale-409',
      says: /not the current revision, answer 409 and change nothing/,
    },
  ],
});
