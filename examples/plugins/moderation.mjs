// Holds an article that has one of the listed words, until somebody opens its signed link in the log and releases it.
import { createHmac } from 'node:crypto';
import { definePlugin, sameSecret } from 'pressmark';

const HELD = 'it has the word ';
const FORM =
  '<!doctype html><title>Release</title><form method="post"><button>Release the article</button></form>';
const textOf = ({ title, contentHtml, body }) => `${title} ${contentHtml} ${body}`.toLowerCase();

function validate({ words, origin }) {
  if (Array.isArray(words) && URL.canParse(origin))
    return { value: { words: words.map((word) => word.toLowerCase()), origin } };
  return { issues: [{ message: 'give words, a list, and origin, the public address of the receiver' }] };
}

export default definePlugin({
  name: 'moderation',
  version: '1.0.0',
  secrets: ['MODERATION_SECRET'],
  options: { '~standard': { version: 1, vendor: 'moderation', validate } },
  receiver({ options: { words, origin }, secrets, articles, addFilter, hold, job, routes }) {
    // Of the revision, too: an old link does not release a later text.
    const signatureOf = (id, revision) =>
      createHmac('sha256', secrets.MODERATION_SECRET)
        .update(JSON.stringify([id, revision]))
        .digest('hex');

    addFilter('article.draft', (draft, { stored }) => {
      // What is shown with a word was released by a person.
      const released = stored === null || stored.held !== undefined ? '' : textOf(stored);
      const word = words.find((one) => textOf(draft).includes(one) && !released.includes(one));
      return word === undefined ? draft : hold(HELD + word);
    });

    // A job: no crash leaves an article held without its link.
    function run({ article: { id, revision, title, held } }, { log }) {
      if (!held?.startsWith(HELD)) return;
      const link = new URL('/-/moderation/release', origin);
      link.search = new URLSearchParams({ id, revision, signature: signatureOf(id, revision) });
      log.warn({ title, reason: held, link: link.href }, 'an article is held; open the link to release it');
    }
    job('published', { on: 'article.published', run });
    job('updated', { on: 'article.updated', run });

    routes((router) => {
      router.use(async (context, next) => {
        const { id, revision, signature } = context.query;
        if (!sameSecret(signature, signatureOf(id, revision))) context.throw(403, 'this link is not signed');
        const article = await articles.get(id);
        return article?.revision === revision ? next() : context.throw(409, 'the article has changed since');
      });
      // Programs that look at links in mail only read them: a person has to press the button.
      router.get('/release', (context) => Object.assign(context, { type: 'html', body: FORM }));
      router.post('/release', async (context) => {
        context.body = { released: (await articles.setState(context.query.id, 'live')).url };
      });
    });
  },
});
