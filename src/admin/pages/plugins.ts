import type { PluginSettings, SavedSettings } from '../../host/admin/plugins-service.js';
import { enteredValue, type SettingField, shownValue } from '../../host/admin/settings-form.js';
import type { OpenJob } from '../../host/jobs/notes.js';
import {
  type AdminPage,
  type AdminRoom,
  correctable,
  type Flash,
  type FormRequest,
  MISSING,
  type PageAnswer,
  redirect,
  view,
} from '../page.js';
import { actionsOn } from './added.js';

/** How many events of one plugin's jobs are shown; those that need a person come first. */
const MOST_OPEN = 50;

const ORDER: Readonly<Record<OpenJob['state']['kind'], number>> = {
  givenUp: 0,
  failed: 1,
  running: 2,
  waiting: 3,
};

/** An option in the form. */
interface ShownField extends SettingField {
  /** The field's name, which is independent of the option's. */
  readonly id: string;
  readonly value: string;
  readonly error: string | undefined;
  /** The different value that somebody else has saved since; undefined if there is none. */
  readonly theirs: string | undefined;
  /** The value in the config, which overrides the field; undefined if there is none. */
  readonly configured: string | undefined;
}

/** The pages of plugins: their parts, their open jobs, and their settings. */
export function pluginPages(room: AdminRoom): AdminPage[] {
  const { host } = room;
  const service = () => host.use('plugins');
  return [
    {
      path: 'plugins',
      title: 'plugins.title',
      role: 'admin',
      menu: 60,
      show: async ({ user }) => {
        const actions = actionsOn(host, 'plugin', user);
        const { pages } = service().additions;
        const plugins = await Promise.all(
          service()
            .list()
            .map(async (report) => {
              const open = report.jobs
                .flatMap((job) => job.open)
                .toSorted((a, b) => ORDER[a.state.kind] - ORDER[b.state.kind]);
              return {
                ...report,
                open: open.slice(0, MOST_OPEN),
                hidden: Math.max(0, open.length - MOST_OPEN),
                settings: await service().settings(report.name),
                pages: pages.filter(({ plugin }) => plugin === report.name),
                actions: actions.filter(({ plugin }) => plugin === report.name),
              };
            }),
        );
        return view('plugins', { plugins });
      },
      actions: {
        again: {
          about: ({ field }) => field('job'),
          run: async ({ field }) => {
            const job = field('job');
            try {
              await service().runAgain(job, field('key'));
            } catch (error) {
              return redirect('plugins', correctable(error));
            }
            return redirect('plugins', { level: 'ok', text: 'plugins.again', values: { job } });
          },
        },
      },
    },
    {
      path: 'plugins/settings',
      title: 'plugins.settings',
      role: 'admin',
      show: async ({ query }) => {
        const settings = await service().settings(query.get('plugin') ?? '');
        return settings === undefined ? MISSING : formOf(settings, shownFields(settings));
      },
      again: async (request) => {
        const settings = await service().settings(request.query.get('plugin') ?? '');
        if (settings === undefined) return MISSING;
        return formOf({ ...settings, base: request.field('base') }, enteredFields(settings, request));
      },
      actions: {
        save: { about: ({ query }) => query.get('plugin') ?? '', run: save },
      },
    },
  ];

  async function save(request: FormRequest): Promise<PageAnswer> {
    const { field, query, user } = request;
    const plugin = query.get('plugin') ?? '';
    const settings = await service().settings(plugin);
    if (settings?.fields === undefined) return MISSING;
    const fields = enteredFields(settings, request);
    const values = new Map(Object.entries(settings.kept));
    const errors = new Map<string, string>();
    for (const { key, type, value, ...rest } of fields) {
      if (!isEditable({ type, ...rest })) continue;
      const entered = enteredValue(type, value);
      if (entered.kind === 'wrong') errors.set(key, entered.text);
      else if (entered.kind === 'unset') values.delete(key);
      else values.set(key, entered.value);
    }
    const saved: SavedSettings =
      errors.size > 0
        ? { kind: 'wrong', faults: [...errors].map(([path, text]) => ({ path, text })) }
        : await service().save(plugin, Object.fromEntries(values), field('base'), user);
    if (saved.kind === 'saved')
      return redirect(`plugins/settings?${new URLSearchParams({ plugin })}`, flashOf(saved.commit));
    if (saved.kind === 'conflict') {
      const theirs = new Map(shownFields(saved.now).map(({ key, value }) => [key, value]));
      const both = fields.map((one) => ({
        ...one,
        theirs: theirs.get(one.key) === one.value ? undefined : theirs.get(one.key),
      }));
      return formOf(saved.now, both, { status: 409, flash: { level: 'fail', text: 'plugins.conflict' } });
    }
    const { faults } = saved;
    const isOf = (path: string, key: string) => path === key || path.startsWith(`${key}.`);
    const marked = fields.map((one) => ({
      ...one,
      error: faults.find(({ path }) => isOf(path, one.key))?.text,
    }));
    const others = faults.filter(({ path }) => !fields.some(({ key }) => isOf(path, key)));
    // The base stays the same, so that the next attempt is also compared with it.
    return formOf(
      { ...settings, base: field('base') },
      marked,
      { status: 422, flash: { level: 'fail', text: 'plugins.wrong' } },
      others.map(({ path, text }) => (path === '' ? text : `${path}: ${text}`)),
    );
  }
}

function formOf(
  settings: PluginSettings,
  fields: readonly ShownField[],
  more: { readonly status?: number; readonly flash?: Flash } = {},
  faults: readonly string[] = [],
): PageAnswer {
  return view('plugin-settings', { settings, fields, faults }, { title: settings.plugin, ...more });
}

function shownFields({ fields = [], configured, kept }: PluginSettings): ShownField[] {
  return fields.map((field, n) => ({
    ...field,
    id: `o${n}`,
    value: shownValue(field.type, Object.hasOwn(kept, field.key) ? kept[field.key] : undefined),
    error: undefined,
    theirs: undefined,
    configured: Object.hasOwn(configured, field.key) ? configured[field.key] : undefined,
  }));
}

function enteredFields(settings: PluginSettings, { field }: FormRequest): ShownField[] {
  return shownFields(settings).map((one) => (isEditable(one) ? { ...one, value: field(one.id) } : one));
}

function isEditable({ type, configured }: Pick<ShownField, 'type' | 'configured'>): boolean {
  return type.kind !== 'secret' && configured === undefined;
}

function flashOf(commit: Extract<SavedSettings, { kind: 'saved' }>['commit']): Flash {
  switch (commit.kind) {
    case 'committed':
      return { level: 'ok', text: 'plugins.savedCommitted', values: { commit: commit.commit.slice(0, 8) } };
    case 'none':
      return { level: 'ok', text: 'plugins.saved' };
    case 'failed':
      return {
        level: 'warn',
        text: 'plugins.savedUncommitted',
        values: { reason: commit.reason.slice(0, 300) },
      };
  }
}
