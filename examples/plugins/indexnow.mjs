// Tells search engines by IndexNow of each article that is live or removed. It needs liveCheck in the config.
// The key is public: the site gets a file with it.
import { createHash } from 'node:crypto';
import { definePlugin } from 'pressmark';

const ENDPOINT = 'https://api.indexnow.org/indexnow';
const keyOf = ({ url }) => createHash('sha256').update(`indexnow ${url}`).digest('hex').slice(0, 32);

export default definePlugin({
  name: 'indexnow',
  version: '1.0.0',
  options: {
    '~standard': {
      version: 1,
      vendor: 'indexnow',
      validate: ({ endpoint = ENDPOINT }) =>
        URL.canParse(endpoint)
          ? { value: { endpoint } }
          : { issues: [{ message: 'it is not a URL', path: ['endpoint'] }] },
    },
  },
  receiver(host) {
    const { host: name, href } = new URL(`${host.site.url}/`);
    const key = keyOf(host.site);
    const submit = async ({ url }, { signal } = {}) => {
      const answer = await fetch(host.options.endpoint, {
        method: 'POST',
        signal,
        headers: { 'Content-Type': 'application/json; charset=utf-8' },
        body: JSON.stringify({ host: name, key, keyLocation: `${href}${key}.txt`, urlList: [url] }),
      });
      if (!answer.ok) throw new Error(`it was answered ${answer.status} (the key file is ${key}.txt)`);
    };
    host.job('live', { on: 'article.live', run: submit });
    host.addAction('article.removed', (removed) => submit(removed));
  },
  pages(host) {
    const key = keyOf(host.site);
    host.addOutput({ path: `${key}.txt`, render: () => key });
  },
});
