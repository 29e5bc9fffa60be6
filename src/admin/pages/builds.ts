import { type AdminPage, type AdminRoom, MISSING, redirect, view } from '../page.js';

/** How many builds, deploys and articles are listed. */
const [MOST_BUILDS, MOST_DEPLOYS, MOST_LEFT_OUT] = [30, 15, 100];

/** The page of the last builds and deploys, and of articles that the site does not show. */
export function buildPages({ host }: AdminRoom): AdminPage[] {
  const service = () => host.use('builds');
  return [
    {
      path: 'builds',
      title: 'builds.title',
      role: 'admin',
      menu: 40,
      show: async () => {
        const { by, targets, builds, deploys, leftOut } = service();
        const [built, deployed, out] = await Promise.all([builds(), deploys(), leftOut()]);
        return view('builds', {
          by,
          targets,
          builds: built.slice(0, MOST_BUILDS),
          deploys: deployed.slice(0, MOST_DEPLOYS),
          leftOut: out.slice(0, MOST_LEFT_OUT),
          leftOutTotal: out.length,
        });
      },
      actions: {
        build: {
          run: async () => {
            await service().build();
            return redirect('builds', { level: 'ok', text: 'builds.started' });
          },
        },
        deploy: {
          run: async () => {
            await service().deploy();
            return redirect('builds', { level: 'ok', text: 'builds.deploying' });
          },
        },
      },
    },
    {
      path: 'builds/one',
      title: 'builds.one',
      role: 'admin',
      show: async ({ query }) => {
        const at = query.get('at');
        const build = (await service().builds()).find((one) => one.at === at);
        return build === undefined ? MISSING : view('build', build);
      },
    },
  ];
}
