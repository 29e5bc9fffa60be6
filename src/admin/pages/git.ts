import { type AdminPage, type AdminRoom, MISSING, view } from '../page.js';

/** How the site stands in git, and the texts that only a file has. */
export function gitPages({ host }: AdminRoom): AdminPage[] {
  return [
    {
      path: 'git',
      title: 'git.title',
      role: 'admin',
      menu: 50,
      show: async () => view('git', await host.use('git').state()),
    },
    {
      path: 'git/replaced',
      title: 'git.replacedText',
      role: 'admin',
      show: async ({ query }) => {
        const file = query.get('file') ?? '';
        const text = await host.use('git').replacedText(file);
        return text === undefined ? MISSING : view('replaced-text', { file, text });
      },
    },
  ];
}
