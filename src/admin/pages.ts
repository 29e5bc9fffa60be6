import type { AdminPage, AdminRoom } from './page.js';
import { accountPages } from './pages/account.js';
import { addedPages } from './pages/added.js';
import { oneArticlePages } from './pages/article.js';
import { articleEditorPages } from './pages/article-editor.js';
import { trashPages } from './pages/article-trash.js';
import { articlePages } from './pages/articles.js';
import { buildPages } from './pages/builds.js';
import { deliveryPages } from './pages/deliveries.js';
import { gitPages } from './pages/git.js';
import { overviewPages } from './pages/overview.js';
import { pluginPages } from './pages/plugins.js';
import { setupPages } from './pages/setup.js';
import { userPages } from './pages/users.js';

/** All pages for users who are logged in. */
export function pagesOf(room: AdminRoom): AdminPage[] {
  return [
    ...overviewPages(room),
    ...deliveryPages(room),
    ...buildPages(room),
    ...gitPages(room),
    ...pluginPages(room),
    ...setupPages(room),
    ...userPages(room),
    ...addedPages(room),
    ...articlePages(room),
    ...oneArticlePages(room),
    ...articleEditorPages(room),
    ...trashPages(room),
    ...accountPages(room),
  ];
}
