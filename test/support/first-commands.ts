/**
 * The commands by which a page of the docs leads from a clone of a site to the first article: the lines of its shell blocks, up
 * to and including the start of the receiver.
 */
export function firstCommands(page: string): string[] {
  const blocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block]) => block ?? '');
  const lines = blocks
    .flatMap((block) => block.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#') && !/^(?:git clone|cd) /.test(line));
  const start = lines.findIndex((line) => line.startsWith('npx pressmark start'));
  if (start === -1) throw new Error('the page has no command npx pressmark start');
  return lines.slice(0, start + 1);
}
