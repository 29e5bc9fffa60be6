import { pino } from 'pino';
import { createServer, type Server, type ServerOptions } from '../../src/app/server/server.js';

/** The HTTP side of a receiver in this process, without plugins or a webhook, unless they are given. */
export function bareServer(outputDir: string, given: Partial<ServerOptions> = {}): Server {
  return createServer({
    webhook: (_context, next) => next(),
    adapters: [],
    routers: [],
    served: [],
    adminOrigin: undefined,
    runsScripts: false,
    health: () => undefined,
    details: () => ({}),
    statusToken: undefined,
    outputDir,
    basePath: '',
    endpoint: '/webhook',
    policy: () => undefined,
    gone: () => undefined,
    liveReload: undefined,
    log: pino({ level: 'silent' }),
    ...given,
  });
}
