import { type AdminPage, type AdminRoom, view } from '../page.js';
import { actionsOn, widgetsOf } from './added.js';

/** The first page: whether it works, and what came last. */
export function overviewPages({ host }: AdminRoom): AdminPage[] {
  return [
    {
      path: '',
      title: 'overview.title',
      role: 'editor',
      menu: 10,
      show: async ({ user, query }) => {
        const [deliveries, articles, widgets] = await Promise.all([
          host.deliveries({ limit: 10 }),
          host.articles.list({ limit: 10 }),
          widgetsOf(host, user, query),
        ]);
        return view('overview', {
          deliveries,
          articles,
          widgets,
          actions: actionsOn(host, 'overview', user),
        });
      },
    },
  ];
}
