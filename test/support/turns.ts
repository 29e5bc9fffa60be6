// The first module of files that share a process, with how many of their tests run at the same time: `turns.js?at-once=4`. AVA
// begins all concurrent tests of a process at once.
import test from 'ava';

let free = Number(new URL(import.meta.url).searchParams.get('at-once'));
const waiting: (() => void)[] = [];

test.beforeEach('the turn of', () => {
  if (free-- > 0) return;
  return new Promise<void>((resolve) => {
    waiting.push(resolve);
  });
});
test.afterEach.always('the end of the turn of', () => {
  free++;
  waiting.shift()?.();
});
