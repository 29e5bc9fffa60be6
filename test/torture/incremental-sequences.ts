/**
 * `incremental-sequences.js <number>`: builds sites after random sequences of changes, and compares each with a clean
 * build. A process of its own, as it replaces `spawn`.
 */
import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { buildEach, sequence } from '../integration/site/changing-site.js';
import { put, siteIn } from '../integration/site/test-site.js';
import { fc } from '../support/property.js';
import { makeTempDir } from '../support/temp-dir.js';

// No other process builds these sites and no power fails: the programs that lock and sync take half of the time, and
// change no file.
const { spawn } = childProcess;
Object.assign(childProcess, {
  spawn: (command: string, ...rest: []) =>
    command === 'flock' || command === 'sync' ? endedAtOnce() : spawn(command, ...rest),
});
syncBuiltinESMExports();

function endedAtOnce(): EventEmitter {
  const program = new EventEmitter();
  queueMicrotask(() => program.emit('exit', 0));
  return program;
}

/**
 * A theme whose pages show all that a template can know, and nothing else: rendering the built-in one takes a fifth of the time,
 * and shows less of what its pages are made of.
 */
const GLASS = makeTempDir();
put(join(GLASS, 'layout.eta'), '<%~ it.body %> <%= it.asset("style.css") %> <%= it.t("archive") %>');
for (const name of ['home', 'article', 'archive', 'tag', 'author', 'tags', 'search', 'page', 'not-found'])
  put(
    join(GLASS, `${name}.eta`),
    `<% layout('./layout');
const links = [it.article, ...it.articles].map((one) => one && [it.authorLink(one.author), one.tags.map(it.tagLink)]);
%><%~ JSON.stringify([it, links], (key, value) => (key === 'site' ? value.title : value)) %>`,
  );

const numRuns = Number(process.argv[2]);
let changes = 0;
await fc.assert(
  fc.asyncProperty(sequence, async (steps) => {
    const site = siteIn(makeTempDir(), { settings: { toc: 2 } });
    const themeDirs = [{ kind: 'theme', dir: GLASS } as const, ...site.options.themeDirs];
    const { built, clean } = await buildEach({ ...site, options: { ...site.options, themeDirs } }, steps);
    assert.deepEqual(built, clean);
    changes += steps.length;
  }),
  { numRuns },
);
console.log(`${numRuns} sequences, ${changes} changes`);
