import { mock } from 'node:test';
import test from 'ava';
import { createEditDelay } from '../../../../src/git/pending/edit-delay.js';

/** Edits on a clock that stands still until the test moves it, and the paths that they have told of. */
function record(
  work: (edits: ReturnType<typeof createEditDelay>, told: string[], pass: (ms: number) => void) => void,
) {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const told: string[] = [];
    work(
      createEditDelay((path) => told.push(path)),
      told,
      (ms) => mock.timers.tick(ms),
    );
  } finally {
    mock.timers.reset();
  }
}

test('an edited file counts as edited once it has lain still for two seconds, however often it was saved before', (t) => {
  record((edits, told, pass) => {
    edits.add('one');
    pass(1_999);
    edits.add('one');
    edits.add('two');
    pass(1_999);
    t.deepEqual(told, []);
    pass(1);
    t.deepEqual(told, ['one', 'two']);
    pass(60_000);
    t.deepEqual(told, ['one', 'two']);
  });
});

test('a flush reports all edits that have not lain still yet, and no edit waits afterwards', (t) => {
  record((edits, told, pass) => {
    edits.add('one');
    edits.flush();
    edits.add('two');
    t.deepEqual(told, ['one', 'two']);
    pass(60_000);
    t.deepEqual(told, ['one', 'two']);
  });
});
