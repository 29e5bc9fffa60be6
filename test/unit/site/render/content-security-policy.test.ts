import { createHash } from 'node:crypto';
import fs from 'node:fs';
import test from 'ava';
import { contentSecurityPolicy } from '../../../../src/site/render/content-security-policy.js';
import { themeLayers } from '../../../../src/site/render/theme.js';

const digest = (script: string) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

test('scripts come from the site, or stand in a template; a page may hold pages of the site, also in a preview; nobody else may frame a page', (t) => {
  const templates = [
    '<script>one()</script>',
    '<script type="module" data-a="<%= it.a %>" data-b="<%= it.b > 1 %>">\ntwo()\n</script>',
    '<script src="/assets/three.js"></script>',
    '<script type="application/ld+json">{}</script>',
    '<script>four(<%= it.title %>)</script>',
  ];
  const policy = contentSecurityPolicy([new Map(templates.map((text, n) => [`${n}`, text]))]);
  t.deepEqual(
    /^script-src ([^;]*)/.exec(policy)?.[1]?.split(' ').sort(),
    ["'self'", "'wasm-unsafe-eval'", digest('one()'), digest('\ntwo()\n')].sort(),
  );
  t.regex(policy, /frame-src 'self' https:; object-src 'none'.*frame-ancestors 'self'/);
});

test('the configurations of the docs send the policy of the built-in theme', (t) => {
  const docs = fs.readFileSync(new URL('../../../../../docs/server.md', import.meta.url), 'utf8');
  const policy = contentSecurityPolicy(themeLayers([]));
  t.true(docs.includes(`add_header Content-Security-Policy "${policy}" always;`), policy);
  t.true(docs.includes(`header Content-Security-Policy "${policy}"`), policy);
});
