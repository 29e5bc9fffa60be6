import test from 'ava';
import { parse } from 'parse5';
import { closedHtml } from '../../../../src/article/text/closed-html.js';
import { fc, runs } from '../../../support/property.js';

test('HTML that is closed stays as it is; what is open at the end is closed', (t) => {
  for (const html of ['', '1 < 2', 'a <!-- b -->', '<script>"<!--"</script>', '<li>a<li>b'])
    t.is(closedHtml(html), html);
  t.is(closedHtml('a <!-- b'), 'a <!-- b-->');
  t.is(closedHtml('a <textarea> <!-- b -->'), 'a <textarea> <!-- b --></textarea>');
  t.is(closedHtml("<title class='x"), "<title class='x'></title>");
  t.is(closedHtml('<p>a</p title="<b>'), '<p>a</p title="<b>">');
  t.is(closedHtml('<plaintext>'.repeat(90_000)), '&lt;plaintext>'.repeat(90_000));
});

test('property: what follows an article is outside of its comments, tags and texts', (t) => {
  const open = '<!-- -- <script> <textarea a= <title> <style> <iframe <plaintext> <xmp> <div < <![CDATA[ <?';
  const close = '--> </script> </textarea> </p </xmp " \' > / x ]]>';
  const piece = fc.constantFrom(' ', ...`${open} ${close}`.split(' '));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const html = closedHtml(pieces.join(''));
      const page = parse(`<!DOCTYPE html><body>${html}<!--the end--><p>frame</p>`);
      t.true(hasComment(page, 'the end'), html);
    }),
    { numRuns: runs(50) },
  );
});

function hasComment(node: object, text: string): boolean {
  if ('data' in node && node.data === text) return true;
  const children = 'childNodes' in node && Array.isArray(node.childNodes) ? node.childNodes : [];
  return children.some((child: object) => hasComment(child, text));
}
