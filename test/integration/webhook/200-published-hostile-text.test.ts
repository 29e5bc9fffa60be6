import test from 'ava';
import { fileOf, readStored } from '../../support/content.js';
import { article } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const TEXTS = {
  'a fence': '---\ntitle: no\n---\n',
  'CRLF line ends': 'one\r\ntwo\r\n\r\nthree',
  'white space at both ends': ' \t\n text \n\n ',
  'line separators': 'a\u2028b\u2029c\u0085d',
  'a byte order mark': '\ufeffmarked',
  'control characters': 'a\u0000b\u0001c\u001b[0m\u007f',
  'YAML marks': '- [x]: {y} & *z !!js |\n> " \' # %',
  'template marks': '{{ x }} {% y %} <%= z %> #{w}',
  'an emoji': '🐝 of the bees 👩‍🌾',
};

for (const [name, value] of Object.entries(TEXTS)) {
  test(`${name} in every field is stored and found again to the byte`, async (t) => {
    const data = article({
      title: value,
      content_html: value,
      content_markdown: value,
      meta_description: value,
      focus_keyword: value,
      author: value,
      tags: [value, 'second'],
      json_ld: value,
    });
    const { status, json } = await receiver().post('article.published', data);
    t.is(status, 200);
    const { article: stored, edited, bodyEdited } = readStored(fileOf(receiver().dir, data.id));
    t.like(stored, { title: value, contentHtml: value, body: value, author: value, jsonLd: value });
    t.like(stored, { description: value, keyword: value });
    t.deepEqual(stored.tags, [value, 'second']);
    t.deepEqual([edited, bodyEdited], [false, false]);
    t.like(await receiver().find(json.url), { title: value, content_html: value });
  });
}
