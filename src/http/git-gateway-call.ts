/** One request to the git gateway with everything that is known about it. */
import type { GitAddress } from '../core/git-gateway/address.ts';
import type { AllowedRefs } from '../core/git-gateway/push-check.ts';
import type { Host } from './git-gateway-host.ts';

/** What a grant is good for. Holds a secret: never logged, never sent to a client. */
export interface GrantAccess {
  /** `clone` reads; `save` reads and pushes to the allowed refs. */
  operation: 'clone' | 'save';
  repositoryUrl: string;
  /** Value of the `Authorization` header that the host gets. */
  authorization: string | null;
  allowedRefs: AllowedRefs;
}

export interface GitAudit {
  /** `push`: let through, whatever the host then says of it. */
  kind: 'fetch' | 'push' | 'push-refused';
  /** Full names; the grant is masked in them. At most 250 of 400 characters. */
  refs: string[];
  reason: string | null;
}

export interface GitGatewayOptions {
  /** The most that the way to us lets through, e.g. 100 MB on most of Cloudflare's plans; null: no limit is known. */
  maxBodyBytes?: number | null;
  /** Must not throw. */
  onAudit?: (event: GitAudit) => void;
}

export interface GitCall {
  request: Request;
  address: GitAddress;
  grant: GrantAccess;
  host: Host;
  coding: 'gzip' | null;
  maxBodyBytes: number | null;
  audit: (kind: GitAudit['kind'], refs: readonly string[], reason: string | null) => void;
}
