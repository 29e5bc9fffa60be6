import { isPossiblePassword, SHORTEST_PASSWORD } from '../access/passwords.js';
import { type AdminPage, type AdminRoom, MISSING, redirect, view } from '../page.js';
import { LANGUAGES } from '../words.js';

/** The page where users change their own settings. */
export function accountPages({ users, attempts }: AdminRoom): AdminPage[] {
  const shown = { languages: LANGUAGES, shortest: SHORTEST_PASSWORD };
  return [
    {
      path: 'account',
      title: 'account.title',
      role: 'editor',
      show: async () => view('account', shown),
      actions: {
        language: {
          run: async ({ user, field }) => {
            const language = LANGUAGES.find((one) => one === field('language'));
            if (language === undefined) return MISSING;
            await users.setLanguage(user.name, language);
            return redirect('account', { level: 'ok', text: 'account.saved' });
          },
        },
        password: {
          run: async ({ user, field }) => {
            const refused = (text: string, count = SHORTEST_PASSWORD) =>
              view('account', shown, { status: 422, flash: { level: 'fail', text, values: { count } } });
            // Limited, so that a stranger at an open session cannot guess the password.
            const subjects = [`account ${user.name}`];
            const waitMs = attempts.take(subjects);
            if (waitMs > 0) return refused('login.often', Math.ceil(waitMs / 1_000));
            const verified = await users.withPassword(user.name, field('current'), true);
            if (verified === undefined) return refused('account.wrong');
            attempts.clear(subjects);
            if (!isPossiblePassword(field('password'))) return refused('welcome.short');
            if (field('password') !== field('again')) return refused('welcome.differ');
            const changed = await users.setPassword(verified, field('password'));
            if (changed === undefined) return refused('account.wrong');
            const flash = { level: 'ok', text: 'account.changed' } as const;
            return { kind: 'redirect', to: 'account', flash, enters: changed };
          },
        },
      },
    },
  ];
}
