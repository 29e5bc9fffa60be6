import { setTimeout as wait } from 'node:timers/promises';
import type { GitState } from '../../host/admin/site-services.js';
import { type AdminPage, type AdminRoom, MISSING, view } from '../page.js';

/** How long the page waits for git, in milliseconds. Git looks at every file, and the page reloads. */
const WAITED_MS = 40;

/** The pages about git: the state of the site, and texts that are not in git. */
export function gitPages({ host }: AdminRoom): AdminPage[] {
  let last: GitState | undefined;
  /** The error of a query that no page waited for. It is shown once, and then git is asked again. */
  let failure: { readonly error: unknown } | undefined;
  return [
    {
      path: 'git',
      title: 'git.title',
      role: 'admin',
      menu: 50,
      show: async ({ query }) => {
        if (failure !== undefined) {
          const { error } = failure;
          failure = undefined;
          throw error;
        }
        const looked = host.use('git').state();
        let isShown = false;
        looked.then(
          (state) => {
            last = state;
          },
          (error: unknown) => {
            if (isShown) failure = { error };
          },
        );
        const now = await (query.has('wait') ? looked : Promise.race([looked, wait(WAITED_MS)]));
        isShown = true;
        return view('git', { state: now ?? last, isLooking: now === undefined });
      },
    },
    {
      path: 'git/replaced',
      title: 'git.replacedText',
      role: 'admin',
      show: async ({ query }) => {
        const file = query.get('file') ?? '';
        const text = await host.use('git').replacedText(file);
        if (text === undefined) return MISSING;
        const [html] = await host.articles.escaped([text]);
        return view('replaced-text', { file, html });
      },
    },
  ];
}
