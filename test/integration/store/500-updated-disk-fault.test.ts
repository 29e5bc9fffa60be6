import fs from 'node:fs';
import test from 'ava';
import { articleFiles, debris, fileOf, readStored } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { createFaults, type Rule } from '../../support/faults.js';
import { startReceiver } from '../../support/receiver.js';

const TEMP = '\\.pressmark-[\\w-]+\\.tmp$';
const UNDO = '\\.undo$';
const MONTH = '/content/articles/2026/11$';

const FAULTS: Record<string, Omit<Rule, 'name'>> = {
  'open: read-only': { call: 'open', path: TEMP, code: 'EROFS' },
  'open: too many files': { call: 'open', path: TEMP, code: 'EMFILE' },
  'write: no space, halfway': { call: 'write', path: TEMP, code: 'ENOSPC', halfway: true },
  'sync of the file: error': { call: 'fsync', path: TEMP, code: 'EIO' },
  'undo link: no space': { call: 'link', path: UNDO, code: 'ENOSPC' },
  'rename: error': { call: 'rename', path: TEMP, code: 'EIO' },
  'rename: no space': { call: 'rename', path: TEMP, code: 'ENOSPC' },
  'sync of the folder: error': { call: 'fsync', path: MONTH, code: 'EIO' },
  'open of the folder: too many files': { call: 'open', path: MONTH, code: 'EMFILE' },
  'journal: no space': { call: 'write', path: '/journal$', code: 'ENOSPC', halfway: true },
};

test('a disk that fails at any step of an update: 5xx, the old file whole, stored when it is well again', async (t) => {
  const faults = createFaults(t);
  const { dir, post, find } = await startReceiver(t, faults.options);
  for (const [name, rule] of Object.entries(FAULTS)) {
    t.log(name);
    const data = article();
    const { url } = (await post('article.published', data)).json;
    const { revision_id: base_revision_id } = await find(url);
    const path = fileOf(dir, data.id);
    const old = fs.readFileSync(path, 'utf8');
    const request = update({ target_id: data.id, target_url: url, base_revision_id });

    faults.set(rule);
    for (let n = 0; n < 3; n++) {
      const { status, json } = await post('article.updated', request);
      t.is(status, 500, json.error);
      t.regex(json.error, new RegExp(`^not stored: .+ \\(${rule.code}\\)`));
      t.is(fs.readFileSync(path, 'utf8'), old);
    }
    t.deepEqual(debris(dir), []);
    t.is((await find(url)).revision_id, base_revision_id);

    faults.clear();
    t.is((await post('article.updated', request)).status, 200);
    t.is((await post('article.updated', request)).status, 200);
    t.is(readStored(path).article.revision, request.revision_id);
    t.is((await find(url)).content_html, request.content_html);
    t.deepEqual(debris(dir), []);
  }
  t.is(articleFiles(dir).length, Object.keys(FAULTS).length);
});
