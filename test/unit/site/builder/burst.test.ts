import test from 'ava';
import { createBurst } from '../../../../src/site/builder/burst.js';

test('fifty changes within half a second are a rush, which is over after half a second with fewer', (t) => {
  const { setInterval: original } = globalThis;
  t.teardown(() => Reflect.set(globalThis, 'setInterval', original));
  let pass = (): void => t.fail('nothing waits for the end of the half second');
  Reflect.set(globalThis, 'setInterval', (look: () => void, ms: number) => {
    t.is(ms, 500);
    pass = look;
    return original(() => undefined, 1_000_000);
  });
  const told: boolean[] = [];
  const burst = createBurst((isBurst) => told.push(isBurst));
  const note = (changes: number) => {
    for (let n = 0; n < changes; n++) burst.note();
  };
  note(49);
  t.deepEqual(told, []);
  note(1);
  t.deepEqual(told, [true]);
  pass();
  t.deepEqual(told, [true]);
  note(50);
  pass();
  t.deepEqual(told, [true]);
  note(49);
  pass();
  t.deepEqual(told, [true, false]);
  burst.stop();
});
