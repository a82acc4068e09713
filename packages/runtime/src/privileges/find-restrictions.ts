import { type Call, isClusterError } from '@aosc/engine';
import type { SecurityPort } from '@aosc/opensearch';
import { systemIndex } from '@aosc/store';
import { type Finding, privilegesIn } from './missing-privileges';

/**
 * The copy would lack documents or fields that are hidden from the service's user, and both counts would still agree.
 * In the target and in the service's own index such rules make reads stale.
 * @param indices source and target
 */
export async function findRestrictions(
  security: Pick<SecurityPort, 'isRestricted'>,
  user: string,
  indices: readonly string[],
  call: Call,
) {
  const problems: string[] = [];
  const missing: Finding[] = [];
  for (const index of [...indices, systemIndex]) {
    try {
      if (await security.isRestricted(index, call)) problems.push(describe(user, index));
    } catch (error) {
      if (!isClusterError(error, 'forbidden')) throw error;
      missing.push({ index, missing: privilegesIn(error.message) });
    }
  }
  return { problems, missing };
}

function describe(user: string, index: string): string {
  return (
    `document-level security, field-level security or masked fields are active for OpenSearch user [${user}] of the ` +
    `service on index [${index}] and would hide data from the copy and from its counts; take them out of the user's roles`
  );
}
