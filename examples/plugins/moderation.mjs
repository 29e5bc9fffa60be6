// Holds an article that has one of the listed words, until somebody opens its signed link in the log and releases it.
import { createHmac } from 'node:crypto';
import { definePlugin, sameSecret } from 'pressmark';

export default definePlugin({
  name: 'moderation',
  version: '1.0.0',
  secrets: ['MODERATION_SECRET'],
  options: {
    '~standard': {
      version: 1,
      vendor: 'moderation',
      validate: ({ words, origin }) =>
        Array.isArray(words) && URL.canParse(origin)
          ? { value: { words: words.map((word) => word.toLowerCase()), origin } }
          : { issues: [{ message: 'give words, a list, and origin, the public address of the receiver' }] },
    },
  },
  receiver(host) {
    const { words, origin } = host.options;
    const signatureOf = (id) => createHmac('sha256', host.secrets.MODERATION_SECRET).update(id).digest('hex');

    host.addFilter('article.draft', (draft) => {
      const text = `${draft.title} ${draft.contentHtml} ${draft.body}`.toLowerCase();
      const word = words.find((one) => text.includes(one));
      return word === undefined ? draft : host.hold(`it has the word ${word}`);
    });

    const announce = ({ article: { id, title, held } }) => {
      if (held === undefined) return;
      const link = new URL('/-/moderation/release', origin);
      link.search = new URLSearchParams({ id, signature: signatureOf(id) });
      host.log.warn(
        { title, reason: held, link: link.href },
        'an article is held; open the link to release it',
      );
    };
    host.addAction('article.published', announce);
    host.addAction('article.updated', announce);

    host.routes((router) => {
      router.use((context, next) => {
        const { id = '', signature } = context.query;
        return sameSecret(signature, signatureOf(id))
          ? next()
          : context.throw(403, 'this link is not signed');
      });
      // Programs that look at links in mail only read them: a person has to press the button.
      router.get('/release', (context) => {
        context.type = 'html';
        context.body =
          '<!doctype html><title>Release</title><form method="post"><button>Release the article</button></form>';
      });
      router.post('/release', async (context) => {
        const { url } = await host.articles.setState(context.query.id, 'live');
        context.body = { released: url };
      });
    });
  },
});
