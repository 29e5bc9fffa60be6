import { type AdminPage, type AdminRoom, view } from '../page.js';

/** The first page: whether it works, and what came last. */
export function overviewPages({ host }: AdminRoom): AdminPage[] {
  return [
    {
      path: '',
      title: 'overview.title',
      role: 'editor',
      menu: 10,
      show: async () => {
        const [deliveries, articles] = await Promise.all([
          host.deliveries({ limit: 10 }),
          host.articles.list({ limit: 10 }),
        ]);
        return view('overview', { deliveries, articles });
      },
    },
  ];
}
