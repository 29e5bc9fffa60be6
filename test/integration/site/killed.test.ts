import test from 'ava';
import { createRandom } from '../../support/random.js';
import { killBuilds } from '../../support/site-kills.js';
import { tempDir } from '../../support/temp-dir.js';

test('wherever a builder is killed, the next one gets the lock, completes the work and leaves no orphan', async (t) => {
  // A kill may come after the end of the build.
  const isOver = ({ during, after }: { during: number; after: number }) => during >= 1 || after >= 10;
  const { during } = await killBuilds(tempDir(t), createRandom('a killed build'), isOver);
  t.is(during, 1, 'npm run torture kills many');
});
