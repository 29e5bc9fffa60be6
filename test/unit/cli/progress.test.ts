import test from 'ava';
import { progressBar } from '../../../src/cli/progress.js';

test('on a terminal the bar is drawn over itself, and taken away at the end', (t) => {
  const written: string[] = [];
  const bar = progressBar({ isTTY: true, write: (text) => written.push(text) });
  for (let n = 0; n < 1_000; n++) bar.step(1, 4);
  t.is(written[0], `\r${'█'.repeat(8)}${'░'.repeat(22)}  25 %  1/4 files`);
  t.true(written.length < 1_000); // now and then is enough
  bar.end();
  t.is(written.at(-1), '\r\x1b[K');
});

test('a bar is full where nothing is to be done, and never more than full', (t) => {
  for (const [done, of] of [
    [0, 0],
    [5, 4],
  ] as const) {
    const written: string[] = [];
    progressBar({ isTTY: true, write: (text) => written.push(text) }).step(done, of);
    t.deepEqual(written, [`\r${'█'.repeat(30)} 100 %  ${done}/${of} files`]);
  }
});

test('elsewhere than on a terminal nothing is written', (t) => {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  for (const target of [{ write }, { isTTY: false, write }]) {
    const bar = progressBar(target);
    bar.step(1, 4);
    bar.step(4, 4);
    bar.end();
  }
  t.deepEqual(written, []);
});
