import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { makeSite, type StartOptions } from './site.js';

test('commits are by the author of Pressmark’s config, else by git’s, else by Pressmark', async (t) => {
  const site = await makeSite(t, { identity: false });
  const bot = { name: 'Bot <1>\n', email: 'bot@example.org' };
  const by = async (options: StartOptions, expected: string) => {
    const before = site.committed.length;
    await site.start(options);
    await site.publish(`by-${before}`);
    await site.untilCommitted(before + 1);
    await site.stop();
    t.is(await site.git('log', '-1', '--format=%an <%ae>, %cn <%ce>'), `${expected}, ${expected}\n`);
  };
  await by({}, 'Pressmark <pressmark@localhost>');
  await by({ author: bot }, 'Bot 1 <bot@example.org>');
  await site.git('config', 'user.name', 'Olga');
  await site.git('config', 'user.email', 'olga@example.org');
  await by({}, 'Olga <olga@example.org>');
});

test('line ends and clean filters leave the status clean', async (t) => {
  const site = await makeSite(t);
  await site.git('config', 'core.autocrlf', 'true');
  await site.git('config', 'filter.upper.clean', "tr 'a-z' 'A-Z'");
  await site.write('.gitattributes', '*.up.md filter=upper\n*.id.md ident\n*.eol.md eol=crlf\n');
  await site.git('add', '.');
  await site.git('commit', '-qm', 'Attributes');
  await site.git('config', 'core.safecrlf', 'true');
  await site.start();
  await site.publish('lf');
  await site.publish('crlf', { body: 'one\r\ntwo\r\n' });
  const upper = await site.publish('filtered', {}, { path: 'content/filtered.up.md' });
  await site.publish('ident', { body: '$Id: 123 $\n' }, { path: 'content/ident.id.md' });
  await site.publish('eol', { body: 'one\r\ntwo\r\n' }, { path: 'content/eol.eol.md' });
  await site.untilCommitted(5);
  t.is((await site.subjects()).length, 7);
  t.is(
    await site.git('show', `HEAD:${upper}`),
    (await site.read(upper)).replace(/[a-z]/g, (x) => x.toUpperCase()),
  );
  t.is(await site.git('status', '--porcelain'), '');
});

test('with sign, commits are signed by the owner’s program, and wait while it fails', async (t) => {
  const site = await makeSite(t);
  const [signer, broken] = ['signer', 'broken'].map((name) => join(site.top, '..', name));
  if (signer === undefined || broken === undefined) return t.fail();
  const script = `#!/bin/sh
cat > /dev/null
if [ -e '${broken}' ]; then echo 'no secret key' >&2; exit 2; fi
echo '[GNUPG:] SIG_CREATED ' >&2
echo '-----BEGIN PGP SIGNATURE-----'
echo "by $3"
echo '-----END PGP SIGNATURE-----'
`;
  await writeFile(signer, script, { mode: 0o755 });
  await site.git('config', 'gpg.program', signer);
  await site.git('config', 'user.signingkey', 'olga');
  await site.start({ sign: true });
  const path = await site.publish('one');
  await site.publish('two');
  await site.untilCommitted(2);
  const signed = async (commit: string) =>
    (await site.git('cat-file', 'commit', commit)).match(/^gpgsig -----BEGIN PGP SIGNATURE-----\n by olga$/m);
  t.truthy(await signed('HEAD'));
  t.truthy(await signed('HEAD^'));
  t.deepEqual((await site.subjects()).slice(1).sort(), ['Publish: Title of one', 'Publish: Title of two']);
  t.is(await site.git('status', '--porcelain'), '');

  await writeFile(broken, '');
  await site.update('one', { revision: 'r2' });
  await site.untilLogged('not committed; tried again later');
  t.true(JSON.stringify(site.logged('not committed')).includes('gpg failed to sign the data'));
  t.is((await site.subjects()).length, 3);
  await rm(broken);
  await site.untilCommitted(3);
  t.truthy(await signed('HEAD'));
  t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
  t.is(await site.git('status', '--porcelain'), '');
});
