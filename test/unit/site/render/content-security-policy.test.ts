import { createHash } from 'node:crypto';
import fs from 'node:fs';
import test from 'ava';
import { contentSecurityPolicy } from '../../../../src/site/render/content-security-policy.js';
import { themeLayers } from '../../../../src/site/render/theme.js';

const scriptsOf = (policy: string) => /(?:^|; )script-src ([^;]*)/.exec(policy)?.[1]?.split(' ') ?? [];
const policyOf = (...templates: string[]) =>
  contentSecurityPolicy([new Map(templates.map((text, n) => [`${n}`, text]))]);
const digest = (script: string) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

test('scripts come from the site, or stand in a template', (t) => {
  const templates = [
    '<script>one()</script>',
    '<script type="module" data-a="<%= it.a %>" data-b="<%= it.b > 1 %>">\ntwo()\n</script>',
    '<script src="/assets/three.js"></script>',
    '<script type="application/ld+json">{}</script>',
    '<script>four(<%= it.title %>)</script>',
  ];
  t.deepEqual(
    scriptsOf(policyOf(...templates)).sort(),
    ["'self'", "'wasm-unsafe-eval'", digest('one()'), digest('\ntwo()\n')].sort(),
  );
});

test('no page may be framed by another site, and no script may be written into one', (t) => {
  const policy = policyOf('<p>No script</p>');
  t.regex(policy, /frame-ancestors 'self'/);
  t.regex(policy, /object-src 'none'/);
  t.false(/script-src[^;]*unsafe-inline/.test(policy) || /'unsafe-eval'/.test(policy));
});

test('the configurations of the docs send the policy of the built-in theme', (t) => {
  const docs = fs.readFileSync(new URL('../../../../../docs/server.md', import.meta.url), 'utf8');
  const policy = contentSecurityPolicy(themeLayers([]));
  t.true(docs.includes(`add_header Content-Security-Policy "${policy}" always;`), policy);
  t.true(docs.includes(`header Content-Security-Policy "${policy}"`), policy);
});
