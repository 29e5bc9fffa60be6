import test from 'ava';
import type { SiteStatus } from '../../../src/app/status.js';
import { statusFindings } from '../../../src/app/status-findings.js';

const STATUS: SiteStatus = {
  facts: { awaited: [] },
  push: undefined,
  targets: {},
  excluded: [],
  jobs: [],
  receivers: [],
  restart: undefined,
  scheduled: [],
  malformed: [],
  review: undefined,
  addressChange: undefined,
};

for (const isDeclined of [true, false])
  test(`a push and a deploy that ${isDeclined ? 'the remote declines are not' : 'fail otherwise are'} called tried again`, (t) => {
    const error = 'the git remote origin said no';
    const push = {
      lastPush: null,
      waiting: 1,
      lastError: error,
      isDeclined,
      waitingFor: null,
      pullRequest: null,
    };
    const targets = { 'branch pages': { attempts: 1, error, isDeclined } };
    const found = [...statusFindings({ ...STATUS, push, targets }, Date.now())];
    for (const what of ['push', 'deploy']) {
      const { level, text, fix = '' } = found.find(({ about }) => about === what) ?? { text: '' };
      t.is(level, 'fail');
      t.true(text.includes(error));
      t.is(/tries again/.test(fix), !isDeclined);
      t.is(/change the rules of the branch or the rights of this user/.test(fix), isDeclined);
    }
  });
