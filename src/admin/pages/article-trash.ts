import { type AdminPage, type AdminRoom, correctable, pageIn, redirect, view } from '../page.js';
import { articlePath, editorOf } from './article.js';

/** The number of articles per page. */
const SIZE = 50;

/** The page of removed articles. */
export function trashPages({ host }: AdminRoom): AdminPage[] {
  const { articles } = host;
  return [
    {
      path: 'articles/trash',
      title: 'articles.trash',
      role: 'editor',
      show: async (request) => {
        const all = await articles.trashed();
        const pages = Math.max(1, Math.ceil(all.length / SIZE));
        const page = pageIn(request, pages);
        return view('trash', { files: all.slice((page - 1) * SIZE, page * SIZE), page, pages });
      },
      actions: {
        restore: {
          about: ({ field }) => field('id'),
          run: async (request) => {
            const id = request.field('id');
            try {
              await articles.restore(id, editorOf(request));
            } catch (error) {
              return redirect('articles/trash', correctable(error));
            }
            return redirect(articlePath(id), { level: 'ok', text: 'articles.restored' });
          },
        },
        delete: {
          role: 'admin',
          about: ({ field }) => field('id'),
          run: async ({ field }) => {
            await articles.deleteTrashed(field('id'));
            return redirect('articles/trash', { level: 'ok', text: 'articles.deleted' });
          },
        },
      },
    },
  ];
}
