import { describe, expect, it } from 'vitest';
import { planConfinement } from '../../src/core/confinement.ts';
import { DEFAULT_WORKFLOW, type Workflow } from '../../src/core/workflow.ts';

const docker = (over: Partial<Workflow> = {}): Workflow => ({
  ...DEFAULT_WORKFLOW,
  docker: { image: 'team/agent:1', env: [] },
  ...over,
});

describe('location docker', () => {
  const at = { location: 'docker', isolation: null } as const;

  it.each(['before_run', 'after_run', 'agent'] as const)('%s gets the network of the agent', (runs) => {
    expect(planConfinement(at, docker(), runs)).toEqual({
      kind: 'docker',
      image: 'team/agent:1',
      network: 'all',
    });
    expect(planConfinement(at, docker({ network: 'none' }), runs)).toMatchObject({ network: 'none' });
  });

  it.each(['after_create', 'before_remove'] as const)('%s gets no network', (runs) => {
    expect(planConfinement(at, docker(), runs)).toEqual({
      kind: 'docker',
      image: 'team/agent:1',
      network: 'none',
    });
  });

  it('hooks run on the machine with sandbox.hooks host, the agent still in its container', () => {
    const workflow = docker({ sandboxHooks: 'host' });
    expect(planConfinement(at, workflow, 'before_run')).toEqual({ kind: 'none' });
    expect(planConfinement(at, workflow, 'agent')).toMatchObject({ kind: 'docker' });
  });
});

it('a plain host and a sandbox of its own confine nothing further', () => {
  for (const location of ['host', 'cloudflare'] as const)
    expect(planConfinement({ location, isolation: null }, DEFAULT_WORKFLOW, 'agent')).toEqual({
      kind: 'none',
    });
});

it('a host project that asks for bubblewrap gets it for hooks and agent', () => {
  for (const runs of ['after_create', 'agent'] as const)
    expect(planConfinement({ location: 'host', isolation: 'bubblewrap' }, DEFAULT_WORKFLOW, runs)).toEqual({
      kind: 'bubblewrap',
    });
});
