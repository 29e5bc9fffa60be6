// Mails the articles of the week. It needs nodemailer (npm install nodemailer in your site), DIGEST_SMTP in .env, such as
// smtps://user:password@mail.example, and the options `from` and `to`, a list; `at` and `subject` have defaults.
import { createTransport } from 'nodemailer';
import { definePlugin } from 'pressmark';

const WEEK_MS = 7 * 24 * 3_600_000;

export default definePlugin({
  name: 'digest',
  version: '1.0.0',
  secrets: ['DIGEST_SMTP'],
  options: {
    '~standard': {
      version: 1,
      vendor: 'digest',
      validate: ({ from, to, at = '0 7 * * MON', subject = 'New this week' }) =>
        from && Array.isArray(to)
          ? { value: { from, to, at, subject } }
          : { issues: [{ message: 'from and to, a list, must be given' }] },
    },
  },
  receiver({ articles, storage, secrets, options: { from, to, at, subject }, cron }) {
    const transport = createTransport(secrets.DIGEST_SMTP);
    const list = { unsubscribe: `mailto:${from.replace(/.*<|>.*/g, '')}?subject=unsubscribe` };

    cron('weekly', {
      at,
      async run({ log }) {
        // After a failure, the same issue goes to those who have not got it.
        const until = new Date().toISOString();
        const last = (await storage.get('last')) ?? new Date(Date.now() - WEEK_MS).toISOString();
        const issue = (await storage.get('issue')) ?? { since: last, until, sent: [] };
        const { rows } = await articles.search({ state: 'live', size: 200 });
        const isNew = ({ date }) =>
          Date.parse(date) >= Date.parse(issue.since) && Date.parse(date) < Date.parse(issue.until);
        const found = await Promise.all(rows.filter(isNew).map(({ id }) => articles.get(id)));
        const news = found.filter((article) => article !== undefined);
        for (const address of to.filter((one) => news.length > 0 && !issue.sent.includes(one))) {
          await transport.sendMail({ from, to: address, subject, list, ...contentOf(news) });
          issue.sent.push(address);
          await storage.set('issue', issue);
        }
        await storage.set('last', issue.until);
        await storage.delete('issue');
        log.info({ articles: news.length, mails: issue.sent.length }, 'the digest is sent');
      },
    });
  },
});

function contentOf(news) {
  const safe = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const texts = news.map(({ title, description, url }) => `${title}\n${description}\n${url}`);
  const parts = news.map(({ title, description, url }) => {
    return `<p><a href="${safe(url)}">${safe(title)}</a><br>${safe(description)}</p>`;
  });
  return { text: texts.join('\n\n'), html: parts.join('\n') };
}
