import type {
  AddedAction,
  AddedView,
  AdminRequest,
  AdminResult,
  AdminWidget,
} from '../../host/admin/additions.js';
import type { ReceiverHost } from '../../host/plugin.js';
import type { User } from '../access/users.js';
import { type AdminPage, type AdminRoom, MISSING, redirect, view } from '../page.js';
import { isAllowed } from '../responder.js';

/** A plugin's widget on the overview. */
export interface ShownWidget {
  readonly plugin: string;
  readonly title: string;
  readonly result: AdminResult;
}

/** The longest message of a plugin, in characters, as it is sent in a cookie. */
const MOST_WORDS = 300;

/** An address of the admin that a form may return to. */
const BACK = /^[a-z/]*(?:\?[!-"$-~]*)?$/;

/** The pages and actions that plugins have added. */
export function addedPages({ host }: AdminRoom): AdminPage[] {
  const { pages, actions } = host.use('plugins').additions;
  const shown = pages.map(
    (page): AdminPage => ({
      path: `added/${page.plugin}/${page.path}`,
      title: { text: page.title },
      role: page.role,
      menu: 90,
      show: async ({ user, query }) =>
        view('added', { plugin: page.plugin, result: await page.render(asPluginsSee(user, query)) }),
    }),
  );
  const press: AdminPage = {
    path: 'press',
    title: 'added.title',
    role: 'editor',
    show: async () => MISSING,
    actions: {
      press: {
        about: ({ field }) => [field('plugin'), field('action'), field('article')].filter(Boolean).join(' '),
        run: async ({ user, query, field }) => {
          const action = actions.find(
            (one) => one.plugin === field('plugin') && one.name === field('action'),
          );
          if (action === undefined) return MISSING;
          if (!isAllowed(user, action.role))
            return view('message', { text: 'frame.admins' }, { status: 403 });
          const article = action.on === 'article' ? field('article') : undefined;
          if (article !== undefined && (await host.articles.get(article)) === undefined) return MISSING;
          const result = await action.run({ ...asPluginsSee(user, query), article });
          const values = { plugin: action.plugin, label: action.label, text: wordsOf(result) };
          const back = BACK.test(field('back')) ? field('back') : '';
          return redirect(
            back,
            result.kind === 'failed'
              ? { level: 'fail', text: 'added.failed', values }
              : { level: 'ok', text: values.text === '' ? 'added.done' : 'added.said', values },
          );
        },
      },
    },
  };
  return [...shown, press];
}

/** The widgets on the overview for a user. */
export async function widgetsOf(
  host: ReceiverHost,
  user: User,
  query: URLSearchParams,
): Promise<ShownWidget[]> {
  const widgets = host.use('plugins').additions.widgets.filter(({ role }) => isAllowed(user, role));
  const show = async ({ plugin, title, render }: AddedView<AdminWidget>) => ({
    plugin,
    title,
    result: await render(asPluginsSee(user, query)),
  });
  return Promise.all(widgets.map(show));
}

/** The buttons of plugins in one place for a user. */
export function actionsOn(host: ReceiverHost, on: AddedAction['on'], user: User): readonly AddedAction[] {
  return host
    .use('plugins')
    .additions.actions.filter((action) => action.on === on && isAllowed(user, action.role));
}

function asPluginsSee({ name, role }: User, query: URLSearchParams): AdminRequest {
  return { user: { name, role }, query };
}

function wordsOf(result: AdminResult): string {
  return (result.kind === 'done' ? result.text : result.reason).slice(0, MOST_WORDS);
}
