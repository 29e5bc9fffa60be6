import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { createTestSite } from 'pressmark/testing';
import { gitIn } from '../../support/clones.js';
import { tempDir } from '../../support/temp-dir.js';

// It moves the clock of its process, so that no other test may run at the same time.

const example = (name: string) => new URL(`../../../../examples/plugins/${name}.mjs`, import.meta.url);

test.serial(
  'the examples backup and digest: in their time the repository is bundled, of which ten are kept, and the articles of the week are mailed to each reader once, also where a mail fails',
  async (t) => {
    const mails: { readonly to: string; readonly text: string }[] = [];
    let failures = 1;
    const { SMTPServer } = createRequire(import.meta.url)('smtp-server');
    const mailServer = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      onRcptTo: ({ address }: { address: string }, _: unknown, done: (error?: Error) => void) =>
        done(address === 'bob@a.example' && failures-- > 0 ? new Error('try again') : undefined),
      async onData(
        stream: AsyncIterable<Buffer>,
        { envelope }: { envelope: { rcptTo: { address: string }[] } },
        done: () => void,
      ) {
        let text = '';
        for await (const chunk of stream) text += chunk;
        text = text
          .replace(/=\r\n/g, '')
          .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
        mails.push({ to: envelope.rcptTo.map(({ address }) => address).join(), text });
        done();
      },
    });
    await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
    t.teardown(() => new Promise<void>((resolve) => mailServer.close(resolve)));
    const folder = join(tempDir(t), 'backups');
    const mail = {
      from: 'Garden <garden@a.example>',
      to: ['ada@a.example', 'bob@a.example'],
      at: '0 7 * * *',
    };
    const site = await createTestSite({
      plugins: [
        [example('backup'), { folder }],
        [fileURLToPath(example('digest')), mail], // a path is as good as a URL
      ],
      env: { DIGEST_SMTP: `smtp://127.0.0.1:${mailServer.server.address().port}` },
    });
    t.teardown(site.close);
    gitIn(site.dir, 'init', '--quiet');
    gitIn(site.dir, 'add', 'pressmark.config.json');
    gitIn(site.dir, 'commit', '--quiet', '-m', 'A site');
    fs.mkdirSync(folder);
    for (let n = 10; n < 22; n++) fs.writeFileSync(join(folder, `2020-01-${n}.bundle`), '');
    // As a run that was killed leaves them.
    fs.writeFileSync(join(folder, 'unfinished.lock'), '');
    fs.mkdirSync(join(folder, 'unfinished'));
    fs.writeFileSync(join(folder, 'unfinished/2020-02-01.bundle.lock'), '');
    const { url } = await site.deliver({ title: 'Soil & <sand>', meta_description: 'What is below.' });
    const later = new Date(Date.now() + 30 * 86_400_000).toISOString();
    await site.deliver({ title: 'Not yet', published_at: later });
    await site.until('the times of both are known', () => {
      const path = join(site.dir, '.pressmark/jobs/crons.json');
      return fs.existsSync(path) && /backup[\s\S]*digest/.test(fs.readFileSync(path, 'utf8'));
    });
    site.advance(86_400_000);

    const said = (words: string) => site.log.filter(({ msg }) => msg === words).length;
    await site.until('the repository is backed up', () => said('the repository is backed up') === 1);
    fs.unlinkSync(join(folder, 'unfinished.lock'));
    const names = fs.readdirSync(folder).sort();
    t.is(names.length, 10);
    t.is(names[0], '2020-01-13.bundle');
    execFileSync('git', ['clone', '--quiet', join(folder, names.at(-1) ?? ''), join(folder, 'clone')]);
    t.true(fs.existsSync(join(folder, 'clone/pressmark.config.json')));

    await site.until('the first issue is sent', () => said('the digest is sent') === 1);
    t.deepEqual(
      mails.map(({ to }) => to),
      ['ada@a.example', 'bob@a.example'],
    );
    for (const { text } of mails) {
      t.true(text.includes(url));
      t.true(text.includes('Soil & <sand>'));
      t.true(text.includes('>Soil &#38; &#60;sand&#62;</a><br>What is below.'));
      t.regex(text, /^List-Unsubscribe: <mailto:garden@a\.example\?subject=unsubscribe>/m);
      t.notRegex(text, /Not yet/);
    }
    site.advance(86_400_000);
    await site.until(
      'the second issue, which would be empty, is not sent',
      () => said('the digest is sent') === 2,
    );
    t.is(mails.length, 2);
  },
);
