import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { Change } from './changes.js';

/** A change as `diff -u` prints it. Of a private file it shows no values, neither the new secret nor the owner's. */
export function diffOf({ path, before, after, secret }: Change): string {
  const shown = (text: string) => (secret === true ? masked(text) : text);
  const [old, now] = [shown(before ?? ''), shown(after)];
  if (old === now) return '';
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(from, `b/${path}`, old, now, undefined, undefined, options);
}

function masked(text: string): string {
  return text.replace(/[^\r\n]+/g, (line) =>
    line.startsWith('PRESSMARK_SECRET=') ? 'PRESSMARK_SECRET=<random>' : '<hidden>',
  );
}
