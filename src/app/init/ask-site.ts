import { askGenerator } from '../../deploy/ask.js';
import { copySite, type SiteCopy } from '../../deploy/copy/site-copy.js';
import type { AskedSite, Generator, Problem } from '../../generators/generator.js';
import { siteFiles } from '../content/site-files.js';

/** A site that `init` asks about, and what was asked. */
export interface SiteQuestions extends AskedSite {
  /** The commands that were run, in their order. */
  readonly asked: readonly string[];
  /** Commands that have failed, with what to do. */
  readonly failures: readonly Problem[];
  /** Removes the copy. */
  close(): void;
}

/** A generator may take this long to say what its configuration is, in milliseconds. */
const ANSWER_MS = 300_000;

/** Lets a generator be run in a copy of a site, which is made for the first question. */
export function askSite(
  dir: string,
  env: NodeJS.Dict<string>,
  { name, caches }: Pick<Generator, 'name' | 'caches'>,
): SiteQuestions {
  const asked: string[] = [];
  const failures: Problem[] = [];
  let copy: SiteCopy | undefined;

  async function ask(command: string, shown = command): Promise<string | undefined> {
    copy ??= await copySite({ siteDir: dir, except: caches, env });
    asked.push(shown);
    const question = { dir: copy.dir, env, name: shown, timeoutMs: ANSWER_MS };
    const answer = await askGenerator(command, question);
    if (answer.kind === 'printed') return answer.text;
    failures.push({
      level: 'warn',
      text: `${name} does not say how the site is made: ${answer.reason}`,
      fix: `install ${name} on this machine, build the site once, and run pressmark init again; or check what was taken in its place, for which there are flags (pressmark init --help)`,
    });
    return undefined;
  }

  return { files: siteFiles(dir), ask, asked, failures, close: () => copy?.remove() };
}
