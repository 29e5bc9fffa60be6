import test from 'ava';
import { assetKind, assetPath, assetsNamedIn, MAX_ASSET_BYTES } from '../../../src/article/asset.js';

/** The first bytes of files that ffmpeg, libvips, ImageMagick and Ghostscript have written, by what `file` calls them. */
const FILES: Readonly<Record<string, string>> = {
  'image/png': '89504e470d0a1a0a0000000d494844520000000100000001',
  'image/jpeg': 'ffd8ffe000104a46494600010100000100010000ffdb0043',
  'image/gif': '47494638396101000100800000ffffff00000021f9040000',
  'image/webp': '524946462200000057454250565038201600000030010000',
  'image/avif': '0000001c667479706176696600000000617669666d696631',
  'audio/mpeg': '494433040000000000235453534500000f00000300004c61',
  'audio/ogg': '4f67675300020000000000000000b8c4e5a2000000000000',
  'audio/wav': '524946462e00000057415645666d74201000000001000100',
  'audio/mp4': '0000001c667479704d3441200000020069736f6d69736f32',
  'video/mp4': '000000206674797069736f6d0000020069736f6d69736f32',
  'video/webm': '1a45dfa39f4286810142f7810142f2810442f381084282847765626d4287810442',
  'application/pdf': '255044462d312e370a25c7ec8fa2',
};

const PNG = Buffer.from(FILES['image/png'] ?? '', 'hex');

test('an asset is known by its bytes, and nothing that a browser runs is one', (t) => {
  for (const [type, hex] of Object.entries(FILES)) t.is(assetKind(Buffer.from(hex, 'hex'))?.type, type);
  for (const text of ['<svg><script>alert(1)</script></svg>', '\u001aE\u00df\u00a3matroska', '']) {
    const given = Buffer.from(text, 'latin1');
    t.is(assetKind(given), undefined, text);
    t.throws(() => assetPath(given, { type: 'image/png' }), { code: 'TYPE_UNSUPPORTED' });
  }
});

test('the path of an asset depends on its bytes, its article and its variant, and on nothing else', (t) => {
  const { path, type } = assetPath(PNG, {});
  t.is(type, 'image/png');
  t.regex(path, /^media\/([0-9a-f]{2})\/\1[0-9a-f]{30}\.png$/);
  t.is(assetPath(Uint8Array.from(PNG), { type: 'image/png' }).path, path);
  const ofArticle = assetPath(PNG, { article: '../../etc/passwd', variant: '800w' }).path;
  t.regex(ofArticle, /^media\/[0-9a-f]{12}\/[0-9a-f]{32}-800w\.png$/);
  t.not(assetPath(PNG, { article: 'another', variant: '800w' }).path, ofArticle);
});

test('an asset that is too large, of another type than was said, or of an odd variant is refused', (t) => {
  t.throws(() => assetPath(Buffer.concat([PNG, Buffer.alloc(MAX_ASSET_BYTES)]), {}), {
    code: 'BODY_TOO_LARGE',
  });
  t.throws(() => assetPath(PNG, { type: 'image/jpeg' }), { message: /"image\/jpeg".* image\/png$/ });
  for (const variant of ['', '../x', 'A', 'a'.repeat(41)])
    t.throws(() => assetPath(PNG, { variant }), { code: 'USAGE' }, variant);
  t.notThrows(() => assetPath(PNG, { variant: 'a'.repeat(40) }));
});

test('the assets that a text names are found wherever their paths stand, and no other paths', (t) => {
  const small = assetPath(PNG, { variant: '400w' }).path;
  const large = assetPath(PNG, { article: 'a', variant: '800w' }).path;
  for (const text of [
    `![Moss](/${small})`,
    `<img srcset="/${small} 400w, /${small} 2x">`,
    `{"image":"\\/${small}"}`,
  ])
    t.deepEqual(assetsNamedIn(text), [small], text);
  t.deepEqual(assetsNamedIn(`${small},${large} ${small}`), [small, large]);
  for (const text of ['media/../secret.png', `media/ab/${'0'.repeat(31)}.png`, `${small}.html`, `${small}x`])
    t.deepEqual(assetsNamedIn(text), [], text);
});
