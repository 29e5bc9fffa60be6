import type { Setup } from '../../host/admin/setup-service.js';
import { type AdminPage, type AdminRoom, correctable, redirect, view } from '../page.js';

/** The page of the connection to the service: address, secret, connection test, and the settings in force. */
export function setupPages({ host }: AdminRoom): AdminPage[] {
  const service = () => host.use('setup');
  const shown = (secret?: string) => {
    const now = service().now();
    return {
      ...now,
      url: new URL(now.endpoint, now.siteUrl).href,
      base: baseOf(now),
      set: now.settings.filter(({ from }) => from !== 'default'),
      defaults: now.settings.filter(({ from }) => from === 'default'),
      newSecret: secret,
    };
  };
  return [
    {
      path: 'setup',
      title: 'setup.title',
      role: 'admin',
      menu: 70,
      show: async () => view('setup', shown()),
      actions: {
        renew: {
          run: async ({ field }) => {
            // A form that is sent twice must not make a second secret.
            if (field('base') !== baseOf(service().now()))
              return view('setup', shown(), { status: 409, flash: { level: 'fail', text: 'setup.since' } });
            const given = field('secret').trim();
            let secret: string;
            try {
              secret = await service().renewSecret(given === '' ? undefined : given);
            } catch (error) {
              return view('setup', shown(), { status: 422, flash: correctable(error) });
            }
            if (given !== '') return redirect('setup', { level: 'ok', text: 'setup.renewed' });
            return view('setup', shown(secret), { flash: { level: 'ok', text: 'setup.renewed' } });
          },
        },
      },
    },
  ];
}

/** Identifies the secret that the form shows. */
function baseOf({ secret }: Setup): string {
  return `${secret.end} ${secret.oldUntil ?? ''}`;
}
