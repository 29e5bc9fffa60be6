import { Command } from 'commander';
import { listPlugins, type PluginReport } from '../app/plugins/list-plugins.js';
import { refuseNoSite } from '../app/site-address.js';
import { loadSettings } from '../config/load.js';
import { example, withDir } from './options.js';
import { aligned, paint, print, printable, printJson } from './terminal.js';

/** `pressmark plugins`: lists the site's plugins, their parts and the results of their runs. */
export function pluginsCommand(): Command {
  return withDir(new Command('plugins'))
    .option('--json', 'print them as JSON')
    .addHelpText('after', example('pressmark plugins'))
    .action(async ({ dir, json }: { dir: string; json?: boolean }) => {
      const settings = await loadSettings(dir);
      const reports = await listPlugins(settings);
      if (reports.length === 0) refuseNoSite(settings);
      if (json) return printJson(reports, 2);
      if (reports.length === 0) return print('no plugins; docs/plugins.md says how to write one');
      for (const report of reports) {
        const { name, version, origin } = report;
        print(`${paint('bold', printable(`${name} ${version ?? ''}`.trimEnd()))} (${printable(origin)})`);
        for (const line of aligned(rowsOf(report))) print(`  ${line}`);
      }
    });
}

type Timed = PluginReport['hooks'][number] | PluginReport['jobs'][number];

function rowsOf({ hooks, jobs, routes, outputs, commands }: PluginReport): string[][] {
  return [
    ...hooks.map((hook) => [hook.kind, hook.name, timingOf(hook)]),
    ...jobs.map((job) => [
      job.on === 'cron' ? 'cron' : 'job',
      `${job.job} ${job.on === 'cron' ? 'at' : 'on'} ${job.at ?? job.on}`,
      [timingOf(job), openOf(job)].filter((text) => text !== '').join('; '),
    ]),
    ...routes.map((route) => ['route', route, '']),
    ...outputs.map((path) => ['file', path, '']),
    ...commands.map(({ name, description }) => ['command', name, printable(description)]),
  ];
}

function timingOf({ calls, failures, medianMs, longestMs }: Timed): string {
  if (calls === 0) return '';
  const failed = failures === 0 ? '' : `, ${failures} failed`;
  return `${calls === 1 ? 'once' : `${calls} times`}${failed}, median ${medianMs} ms, longest ${longestMs} ms`;
}

function openOf({ open }: PluginReport['jobs'][number]): string {
  const count = (kind: string) => open.filter(({ state }) => state.kind === kind).length;
  return [
    [count('waiting') + count('running'), 'to do'],
    [count('failed'), 'to try again'],
    [count('givenUp'), 'given up'],
  ]
    .filter(([n]) => n !== 0)
    .map(([n, what]) => `${n} ${what}`)
    .join(', ');
}
