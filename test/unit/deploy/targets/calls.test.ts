import { createHook } from 'node:async_hooks';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { branchTarget } from '../../../../src/deploy/targets/branch.js';
import { folderTarget } from '../../../../src/deploy/targets/folder.js';
import type { DeployTarget } from '../../../../src/deploy/targets/target.js';
import { openRepository } from '../../../../src/git/repository.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

/** How often this process has called the file system. */
let calls = 0;
for (const [name, original] of Object.entries(fs))
  if (typeof original === 'function' && name.endsWith('Sync')) {
    const counted = (...words: unknown[]): unknown => {
      calls++;
      return Reflect.apply(original, fs, words);
    };
    Object.assign(fs, { [name]: Object.assign(counted, original) });
  }
createHook({
  init(_, type) {
    if (type.startsWith('FSREQ')) calls++;
  },
}).enable();

const TARGETS: Readonly<Record<string, (dir: string) => Promise<DeployTarget>>> = {
  folder: async (dir) => folderTarget(join(dir, 'srv')),
  branch: async (dir) => {
    const env = gitEnvironment(dir);
    const site = join(dir, 'site');
    execFileSync('git', ['init', '-q', '--bare', join(dir, 'remote.git')]);
    fs.mkdirSync(site);
    gitIn(site, 'init', '-q');
    const repository = await openRepository(site, env);
    if (repository.kind === 'none') throw new Error(repository.because);
    const remote = join(dir, 'remote.git');
    return branchTarget({ branch: 'pages', remote, keep: [], repository, env, notesDir: dir });
  },
};

for (const [name, open] of Object.entries(TARGETS))
  test.serial(
    `to deploy one change to a ${name}, the receiver’s own process does as much for many files as for few`,
    async (t) => {
      const [few, many] = [await callsFor(20), await callsFor(400)];
      t.true(many < few + 20, `${few} calls of the file system for 20 files, ${many} for 400`);

      async function callsFor(count: number): Promise<number> {
        const dir = fs.realpathSync(tempDir(t));
        const output = join(dir, 'public');
        fs.mkdirSync(output);
        for (let n = 0; n < count; n++) fs.writeFileSync(join(output, `${n}.html`), `${n}`);
        const target = await open(dir);
        const deploy = () => target.deploy({ folder: output }, new AbortController().signal);
        await deploy();
        fs.writeFileSync(join(output, '7.html'), 'changed');
        const before = calls;
        await deploy();
        return calls - before;
      }
    },
  );
