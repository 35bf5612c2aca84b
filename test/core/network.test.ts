import { expect, test } from 'vitest';
import { planAllowedHosts, refuseNetwork } from '../../src/core/network.ts';
import { DEFAULT_WORKFLOW } from '../../src/core/workflow.ts';

const LISTED = { hosts: ['api.example.com', '*.npmjs.org'] };

test.each([
  ['all', null, ['*']],
  ['all', 'git.example', ['*']],
  ['none', null, ['network-none.invalid']],
  ['none', 'git.example', ['git.example']],
  [LISTED, null, LISTED.hosts],
  [LISTED, 'git.example', [...LISTED.hosts, 'git.example']],
  [LISTED, 'api.example.com', LISTED.hosts],
  [{ hosts: [] }, null, ['network-none.invalid']],
] as const)('network %j with %j reaches %j', (network, also, hosts) => {
  expect(
    planAllowedHosts(typeof network === 'string' ? network : { hosts: [...network.hosts] }, also),
  ).toEqual(hosts);
});

test.each([
  ['cloudflare', false, 'none', true],
  ['cloudflare', false, 'all', false],
  ['cloudflare', true, 'none', false],
  ['docker', false, 'none', false],
  ['host', false, 'none', false],
] as const)(
  'location %s, made with limits %s, network %s: refused is %s',
  (location, limited, network, refused) => {
    expect(refuseNetwork({ location, limited }, { ...DEFAULT_WORKFLOW, network }) !== null).toBe(refused);
  },
);
