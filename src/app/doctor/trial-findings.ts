import type { Settings } from '../../config/load.js';
import { PressmarkError } from '../../errors.js';
import { GENERATORS } from '../../generators/registry.js';
import { type Trial, type TrialFault, type TrialOptions, tryArticles } from '../build/trial-build.js';
import { type Finding, listed } from './finding.js';

const ABOUT = 'trial build';

/** The fix of each fault, where the definition is the owner's, and where it is Pressmark's and the site is the cause. */
const FIXES: Readonly<Record<TrialFault['kind'], { readonly own: string; readonly site: string }>> = {
  site: both(
    'correct the site, or "build" and "output" in the config; then run pressmark doctor --build again',
  ),
  private: both('keep .env out of the folders that the generator copies'),
  build: {
    own: 'let mapping.body turn templates off in the body (by a key of the front matter, or by escaping what begins one), and mapping.writtenText in the front matter',
    site: 'find the layout, plugin or schema that the output names, and let it leave texts of articles as they are',
  },
  stored: {
    own: 'let mapping.sentText give back what mapping.writtenText was given, mapping.isPinned accept what mapping.pin writes (or the file’s name), mapping.hidden accept a new article, and mapping.reserved name every key that mapping.body sets',
    site: 'look for plugins and for settings below articles in the config that change these fields',
  },
  'no page': {
    own: 'let mapping.pin write the front matter that holds a page at its address, or let articles.file and articles.permalink in the config say where the generator puts it',
    site: 'let articles.file and articles.permalink in the config say where the site puts its pages',
  },
  title: {
    own: 'let mapping.writtenText escape what the generator acts upon in front matter, and mapping.keys.title name the key that the layout prints',
    site: 'let the layout print the title as it is, with its special characters escaped for HTML',
  },
  text: {
    own: 'let mapping.body turn templates off and escape what the generator’s Markdown would act upon',
    site: 'let the layout print the whole content of a post, and look for plugins that change it',
  },
  ran: {
    own: 'this lets whoever writes articles read your secrets: let mapping.body turn templates off in the body, and mapping.writtenText in titles, tags and descriptions',
    site: 'this lets whoever writes articles read your secrets: find the layout or plugin that runs texts of posts as templates, and remove it',
  },
  comment: {
    own: 'let mapping.writtenText and mapping.sentText keep HTML comments, and the layout close its elements',
    site: 'let the layout close its elements, and look for plugins that repeat or remove comments',
  },
  'json-ld': {
    own: 'let mapping.writtenText and mapping.sentText keep pressmark.json_ld as it is, and the layout have a </head>',
    site: 'let the layout have one </head>, and print no json_ld itself',
  },
  'page lost': {
    own: 'let mapping.tagKey give two tags of one page the same key, and articles.permalink lead to a folder of its own',
    site: 'let articles.permalink in the config lead to a folder that has no other pages',
  },
};

/** What a trial build of a copy of the site finds; see `tryArticles`. @throws PressmarkError USAGE, and where it was interrupted. */
export async function trialFindings(settings: Settings, options: TrialOptions = {}): Promise<Finding[]> {
  try {
    return findingsOf(await tryArticles(settings, options));
  } catch (error) {
    if (!(error instanceof PressmarkError) || error.code === 'USAGE' || options.signal?.aborted) throw error;
    return [
      {
        level: 'fail',
        about: ABOUT,
        text: error.message,
        fix: 'correct it and run pressmark doctor --build',
      },
    ];
  }
}

/** The findings of a trial: one for each kind of fault, which names some of the articles. */
export function findingsOf({ generator, articles, posts, builds, faults }: Trial): Finding[] {
  const isOwn = !GENERATORS.some(({ name }) => name === generator);
  const kinds = [...new Set(faults.map(({ kind }) => kind))];
  if (kinds.length === 0)
    return [
      {
        level: 'ok',
        about: ABOUT,
        text: `${articles} articles and updates, and updates of ${posts} posts, are displayed as they were sent, and none has run as a template (${builds} builds of a copy)`,
      },
    ];
  return kinds.map((kind): Finding => {
    const texts = examplesOf(faults.filter((fault) => fault.kind === kind));
    const fix = FIXES[kind][isOwn ? 'own' : 'site'];
    return { level: 'fail', about: ABOUT, text: listed(texts, '; '), fix };
  });
}

/** The texts of faults, one for each hostile text first. */
function examplesOf(faults: readonly TrialFault[]): string[] {
  const seen = new Set<string>();
  const firsts = faults.filter(({ fragment, text }) => {
    const key = fragment ?? text;
    return seen.has(key) ? false : seen.add(key);
  });
  return [...new Set([...firsts, ...faults].map(({ text }) => text))];
}

function both(fix: string): { readonly own: string; readonly site: string } {
  return { own: fix, site: fix };
}
