// Announces each article once it is live: on Mastodon, in Slack or in Discord. In .env:
//   ANNOUNCE_URL=https://<access token>@<your Mastodon server>/api/v1/statuses
//   ANNOUNCE_URL=https://hooks.slack.com/services/…, or https://discord.com/api/webhooks/…
// It needs liveCheck in the config. Mastodon takes a second announcement within an hour for the first one; Slack and
// Discord do not, so that a crash at the wrong moment can repeat one there.
import { createHash } from 'node:crypto';
import { definePlugin } from 'pressmark';

export default definePlugin({
  name: 'announcement',
  version: '1.0.0',
  secrets: ['ANNOUNCE_URL'],
  receiver(host) {
    const address = new URL(host.secrets.ANNOUNCE_URL);
    const token = address.username;
    address.username = '';

    host.job('post', {
      on: 'article.live',
      async run({ id }, { signal }) {
        const key = `announced ${createHash('sha256').update(id).digest('hex')}`;
        if (await host.storage.get(key)) return; // now an update of it is live
        const article = await host.articles.get(id);
        if (article === undefined) return; // removed since
        const text = `${article.title} ${article.url}`;
        const answer = await fetch(address, {
          method: 'POST',
          signal,
          headers: {
            'Content-Type': 'application/json',
            'Idempotency-Key': key,
            ...(token !== '' && { Authorization: `Bearer ${token}` }),
          },
          // Mastodon reads status, Slack text, Discord content.
          body: JSON.stringify({ status: text, text, content: text }),
        });
        if (!answer.ok)
          throw new Error(`it was answered ${answer.status}: ${(await answer.text()).slice(0, 200)}`);
        await host.storage.set(key, true);
      },
    });
  },
});
