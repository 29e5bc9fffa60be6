import test from 'ava';
import pressmark, { afterBuild, type EleventyBuild } from '../../src/eleventy.js';

const built: EleventyBuild = {
  directories: { output: './_site/' },
  runMode: 'build',
  outputMode: 'fs',
  results: [{}],
};

const finds = (missing: readonly string[], warnings: readonly string[] = []) => {
  const calls: string[] = [];
  const postbuild = async (_: string, output: string) => {
    calls.push(output);
    return { missing, warnings, changed: 0 };
  };
  return { calls, postbuild };
};

test('a build in which the page of an article is missing fails, and names it', async (t) => {
  const events: string[] = [];
  pressmark({ on: (event: string) => void events.push(event) });
  t.deepEqual(events, ['eleventy.after']);
  const { calls, postbuild } = finds(['blog/soil.md: no page']);
  const error = await t.throwsAsync(() => afterBuild(built, postbuild, t.fail));
  t.deepEqual(calls, ['./_site/']);
  t.like(error, { code: 'POSTBUILD_FAILED' });
  t.regex(error?.message ?? '', /blog\/soil\.md: no page/);
});

test('the dev server prints what is missing and goes on', async (t) => {
  const printed: string[] = [];
  const { postbuild } = finds(['blog/soil.md: no page'], ['a second Article']);
  await afterBuild({ ...built, runMode: 'serve' }, postbuild, (line) => printed.push(line));
  t.is(printed[0], 'a second Article');
  t.regex(printed[1] ?? '', /blog\/soil\.md: no page/);
});

test('a run that writes nothing is left alone', async (t) => {
  const { calls, postbuild } = finds(['blog/soil.md: no page']);
  await afterBuild({ ...built, outputMode: 'json' }, postbuild, t.fail);
  t.deepEqual(calls, []);
});
